//! `loggia search`: drawers and diaries by words and, where there is a model, by meaning. The log has a search of its own,
//! `loggia logstream search`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use loggia_domain::palace::query;
use serde_json::Value;

use super::drawer::{memory, within};
use super::output::{Failure, Out, for_terminal, on_one_line, said};
use super::target::{Place, Remote};

#[derive(Args)]
pub(super) struct Search {
    #[command(flatten)]
    remote: Remote,
    /// A question or some words
    #[arg(required = true, value_name = "QUERY")]
    words: Vec<String>,
    #[command(flatten)]
    flags: within::Flags,
    /// Only from this source, by its whole path
    #[arg(long, value_name = "PATH")]
    source_file: Option<String>,
    /// At most so many hits, 100 at the most
    #[arg(
        long,
        visible_alias = "results",
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..=100)
    )]
    limit: u16,
    /// Leave out hits whose meaning is farther; 0 leaves none out
    #[arg(long, value_name = "D", default_value_t = 1.5)]
    max_distance: f64,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Search {
    pub(super) async fn run(self, palace: PathBuf, out: &Out) -> Result<ExitCode, Failure> {
        let asked = self.words.join(" ");
        if !self.max_distance.is_finite() {
            return Err(Failure::new(format!("--max-distance must be a number, not {}", self.max_distance)));
        }
        let search = memory::Search {
            query: query::clean(&asked),
            asked,
            limit: self.limit,
            max_distance: self.max_distance,
            within: self.flags.check(self.source_file.as_deref())?,
        };
        let at = Place::new(palace, self.remote);
        let answer = at.memory(async |memory| memory.search(search).await).await?;
        out.answer(&answer, || told(&answer))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn told(answer: &Value) -> String {
    let hits = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let query = on_one_line(said(answer, "query"));
    let mut parts = vec![if hits.is_empty() {
        format!("nothing found: {query}")
    } else {
        format!("{} hit(s): {query}", hits.len())
    }];
    if answer["query_sanitized"] == true {
        parts.push("the query was long; only its question was searched for".to_owned());
    }
    for hit in hits {
        let [id, at, wing, room] = ["drawer_id", "filed_at", "wing", "room"].map(|field| said(hit, field));
        let source = said(hit, "source_file");
        let source = if matches!(source, "" | "?") { String::new() } else { format!("  {source}") };
        let likeness = hit["similarity"].as_f64().map(|likeness| format!("  {likeness:.2} alike")).unwrap_or_default();
        let head = on_one_line(&format!("── {id}  {at}  {wing}/{room}{source}{likeness}"));
        parts.push(format!("\n{head}\n{}", for_terminal(said(hit, "text"))));
    }
    if answer["vector_disabled"] == true {
        parts.push("\nwithout a model of meaning, only words were searched for".to_owned());
    }
    parts.join("\n")
}
