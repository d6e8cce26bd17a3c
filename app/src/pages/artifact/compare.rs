//! Two patches of one piece of work, file by file: what the second one has that the first has not. Pure.
//!
//! Compared are the lines of the hunks with their signs; where a hunk stands and what git writes around it do not count.

use super::diff::{File, Kind, Line};

/// More pairs of lines than this are not aligned, since it would take too long.
const MAX_PAIRS: usize = 4_000_000;

/// How a file differs between the patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    /// It is in the first patch alone.
    FirstOnly(File),
    /// It is in the second patch alone.
    SecondOnly(File),
    /// Both change it in the same way.
    Same(String),
    /// Both change it, differently: the lines of both, those of the first alone as removed, those of the second alone as added.
    Changed(String, Vec<Line>),
    /// Both change it, too differently to be aligned.
    Unaligned(String),
}

/// Every file of either patch: those of the second in its order, then what only the first has.
pub(super) fn compare(first: Vec<File>, second: Vec<File>) -> Vec<Difference> {
    let mut first: Vec<Option<File>> = first.into_iter().filter(File::is_diff).map(Some).collect();
    let mut differences = Vec::new();
    for file in second.into_iter().filter(File::is_diff) {
        let twin = first.iter_mut().find(|f| f.as_ref().is_some_and(|f| f.path == file.path)).and_then(Option::take);
        differences.push(match twin {
            None => Difference::SecondOnly(file),
            Some(twin) => both(&twin, file),
        });
    }
    differences.extend(first.into_iter().flatten().map(Difference::FirstOnly));
    differences
}

fn both(first: &File, second: File) -> Difference {
    let content = |file: &File| -> Vec<String> {
        let is_content = |line: &&Line| matches!(line.kind, Kind::Context | Kind::Added | Kind::Removed);
        file.lines.iter().filter(is_content).map(|line| line.text.clone()).collect()
    };
    let (old, new) = (content(first), content(&second));
    if old == new && first.marks == second.marks {
        return Difference::Same(second.path);
    }
    match align(&old, &new) {
        Some(lines) => Difference::Changed(second.path, lines),
        None => Difference::Unaligned(second.path),
    }
}

/// The lines of both in one order, by the longest common subsequence.
fn align(old: &[String], new: &[String]) -> Option<Vec<Line>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if a.len().saturating_mul(b.len()) > MAX_PAIRS {
        return None;
    }
    // `longest[i][j]`: how many lines `a[i..]` and `b[j..]` have in common.
    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let line = |kind, text: &String| Line { kind, old: None, new: None, text: text.clone() };
    let mut lines: Vec<Line> = old[..head].iter().map(|text| line(Kind::Context, text)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(line(Kind::Context, &a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            lines.push(line(Kind::Removed, &a[i]));
            i += 1;
        } else {
            lines.push(line(Kind::Added, &b[j]));
            j += 1;
        }
    }
    lines.extend(old[old.len() - tail..].iter().map(|text| line(Kind::Context, text)));
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;
    use super::*;

    fn patch(path: &str, start: u32, lines: &[&str]) -> String {
        let olds = lines.iter().filter(|l| !l.starts_with('+')).count();
        let news = lines.iter().filter(|l| !l.starts_with('-')).count();
        format!(
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{start},{olds} +{start},{news} @@\n{}\n",
            lines.join("\n")
        )
    }

    #[test]
    fn where_a_hunk_stands_is_no_difference() {
        let first = parse(&patch("a.rs", 10, &[" x", "-y", "+z"]));
        let second = parse(&patch("a.rs", 12, &[" x", "-y", "+z"]));
        assert_eq!(compare(first, second), [Difference::Same("a.rs".to_owned())]);
    }

    #[test]
    fn what_only_one_has_is_told_from_what_both_change() {
        let first = parse(&(patch("a.rs", 1, &[" x", "-y", "+z", " end"]) + &patch("b.rs", 1, &["+b"])));
        let second = parse(&(patch("c.rs", 1, &["+c"]) + &patch("a.rs", 1, &[" x", "-y", "+w", "+z2", " end"])));
        let found = compare(first, second);
        assert!(matches!(&found[0], Difference::SecondOnly(file) if file.path == "c.rs"), "{found:?}");
        let Difference::Changed(path, lines) = &found[1] else { panic!("{found:?}") };
        let told: Vec<(Kind, &str)> = lines.iter().map(|l| (l.kind, l.text.as_str())).collect();
        assert_eq!(path, "a.rs");
        assert_eq!(
            told,
            [
                (Kind::Context, " x"),
                (Kind::Context, "-y"),
                (Kind::Removed, "+z"),
                (Kind::Added, "+w"),
                (Kind::Added, "+z2"),
                (Kind::Context, " end"),
            ]
        );
        assert!(matches!(&found[2], Difference::FirstOnly(file) if file.path == "b.rs"), "{found:?}");
    }

    #[test]
    fn what_would_take_too_long_is_said_to_be_unaligned() {
        let many = |word: &str| (0..2100).map(|n| format!("+{word}{n}")).collect::<Vec<_>>();
        assert_eq!(align(&many("a"), &many("b")), None);
        assert!(align(&many("a"), &many("a")).is_some());
    }
}
