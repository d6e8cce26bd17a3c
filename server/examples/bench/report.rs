//! What was measured: a table for people and JSON for programs. Of several rounds the median is shown.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::stats::{median, number};

/// Names with their units, and values.
pub(crate) type Figures = Vec<(&'static str, f64)>;

/// One figure of one thing, for one hub, in all rounds.
struct Row {
    case: String,
    figure: &'static str,
    target: String,
    values: Vec<f64>,
}

/// Everything that was measured, in the order in which it was first measured.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    targets: Vec<String>,
}

impl Report {
    /// Adds what one round of one thing gave.
    pub(crate) fn add(&mut self, case: &str, target: &str, figures: Figures) {
        if !self.targets.iter().any(|t| t == target) {
            self.targets.push(target.to_owned());
        }
        for (figure, value) in figures {
            let known =
                self.rows.iter_mut().find(|row| row.case == case && row.figure == figure && row.target == target);
            match known {
                Some(row) => row.values.push(value),
                None => self.rows.push(Row {
                    case: case.to_owned(),
                    figure,
                    target: target.to_owned(),
                    values: vec![value],
                }),
            }
        }
    }

    /// The table: a line for each figure, a column for each hub, and with two hubs by how much the first one is better.
    pub(crate) fn table(&self) -> String {
        let mut lines: Vec<(&str, &str)> = Vec::new();
        for row in &self.rows {
            if !lines.contains(&(&row.case, row.figure)) {
                lines.push((&row.case, row.figure));
            }
        }
        let order: Vec<&str> = self.rows.iter().fold(Vec::new(), |mut cases, row| {
            if !cases.contains(&&*row.case) {
                cases.push(&row.case);
            }
            cases
        });
        lines.sort_by_key(|(case, _)| order.iter().position(|c| c == case));
        let mut table = format!("{:<34} {:<26}", "what", "figure");
        for target in &self.targets {
            let _ = write!(table, " {target:>14}");
        }
        table.push_str(if self.targets.len() == 2 { "    better by\n" } else { "\n" });
        let mut last = "";
        for (case, figure) in lines {
            let _ = write!(table, "{:<34} {figure:<26}", if case == last { "" } else { case });
            last = case;
            let medians: Vec<Option<f64>> =
                self.targets.iter().map(|target| self.median(case, figure, target)).collect();
            for value in &medians {
                let _ = write!(table, " {:>14}", value.map_or_else(|| "-".to_owned(), short));
            }
            if let [Some(first), Some(second)] = medians[..]
                && let Some(factor) = better_by(figure, first, second)
            {
                let _ = write!(table, " {:>11}x", short(factor));
            }
            table.push('\n');
        }
        table
    }

    fn median(&self, case: &str, figure: &str, target: &str) -> Option<f64> {
        let row = self.rows.iter().find(|r| r.case == case && r.figure == figure && r.target == target)?;
        Some(median(&row.values))
    }

    /// Everything, with the value of each round. `setting` says how it was measured.
    pub(crate) fn json(&self, setting: &Value) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({"case": row.case, "figure": row.figure, "target": row.target,
                    "median": rounded(median(&row.values)),
                    "rounds": row.values.iter().copied().map(rounded).collect::<Vec<_>>()})
            })
            .collect();
        let cpus = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        json!({"setting": setting, "machine": {"cpus": cpus, "os": std::env::consts::OS, "arch": std::env::consts::ARCH},
            "figures": rows})
    }
}

/// By how much the first is better; of a rate more is better, of a time or a size less. Nothing for what is neither.
fn better_by(figure: &str, first: f64, second: f64) -> Option<f64> {
    let factor = match figure {
        "rate_per_s" => first / second,
        "lost"
        | "doubled"
        | "refused"
        | "not_filed"
        | "streams_in_another_order"
        | "answer_kib"
        | "events"
        | "sent_per_s" => {
            return None;
        }
        _ if figure.starts_with("load_") => return None,
        _ => second / first,
    };
    factor.is_finite().then_some(factor)
}

/// Three digits that matter, thousands whole.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value.fract().abs() < f64::EPSILON => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn rounded(value: f64) -> f64 {
    (value * number(1000)).round() / number(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compares_medians() {
        let mut report = Report::default();
        for value in [3000.0, 1000.0, 2000.0] {
            report.add("append", "ours", vec![("rate_per_s", value), ("p50_ms", 2.0)]);
        }
        report.add("append", "theirs", vec![("rate_per_s", 250.0), ("p50_ms", 5.0)]);
        report.add("page /", "ours", vec![("p50_ms", 1.25)]);
        let words: Vec<Vec<String>> =
            report.table().lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(words[1], ["append", "rate_per_s", "2000", "250", "8x"]);
        assert_eq!(words[2], ["p50_ms", "2", "5", "2.50x"]);
        assert_eq!(words[3], ["page", "/", "p50_ms", "1.25", "-"]);
    }
}
