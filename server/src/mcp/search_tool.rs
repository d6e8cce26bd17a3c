//! The tool that searches: event_search. Full text over events and artifacts, newest first.

use loggia_domain::field;
use loggia_domain::search::Query;

use super::args::{Args, Kind, joined, optional, required};
use super::read_tools;
use super::tool::{Answer, Effect, Tool, answer};
use crate::AppState;
use crate::logstream::search::SearchQuery;
use crate::tokens::Scope;

/// `mempalace_event_search`
pub const EVENT_SEARCH: Tool = Tool {
    name: "mempalace_event_search",
    about: "Find events by words in their body, ids, names or metadata, newest first. Every word must be there, in any order; the last one may be the beginning of a word; an id, a path or foo::bar is found whole and by its parts. Nothing in the query is an operator. Each hit has an excerpt with the positions of the words. To see older hits, pass older_cursor as before_event_id. With artifacts true, patches, logs and notes are searched too.",
    params: &joined::<15>(
        &read_tools::FILTERS,
        &[
            required("query", "The words, at most 512 characters"),
            optional(
                "before_event_id",
                Kind::Text,
                "Only what arrived before this event: the older_cursor of your last answer",
            ),
            optional("artifacts", Kind::Boolean, "Search the contents of artifacts too, at most 50 of them"),
            optional(
                "before_artifact_id",
                Kind::Text,
                "Only artifacts older than this: the older_artifact_cursor of your last answer",
            ),
        ],
    ),
    scope: Scope::Read,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(event_search(state, args)),
};

async fn event_search(state: AppState, mut args: Args) -> Answer {
    let query = Query::check("query", args.raw("query"))?;
    let note = read_tools::note(&mut args);
    let query = SearchQuery {
        query,
        filter: read_tools::filter(&mut args)?,
        before_event_id: field::optional_routing("before_event_id", args.raw("before_event_id"))?,
        artifacts: args.boolean("artifacts")?,
        before_artifact_id: field::optional_routing("before_artifact_id", args.raw("before_artifact_id"))?,
        limit: read_tools::limit(&mut args)?,
    };
    let limit = query.limit;
    let found = state.live.search().find(&state.log, query).await?;
    answer(&read_tools::with_note(found.to_json(limit), note))
}
