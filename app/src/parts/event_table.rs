//! Events as rows of a table. A cell's value leads to the log with that value added to the filter, the body to the event itself.

use leptos::prelude::*;
use loggia_domain::task::title;
use loggia_domain::{Column, Event, Filter};

use super::{Agent, Form, Moment, StatusBadge, revealed};
use crate::clock::use_page_clock;
use crate::language::t;
use crate::{filters, href};

/// What is said about a row beside the event's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// It arrived after events that are newer by the authors' clocks, from this hub.
    pub late_from: Option<String>,
    /// It came while the reader was watching.
    pub fresh: bool,
    /// It is the one that the page is about.
    pub selected: bool,
    /// Where it answers a search, in pieces that are ordinary and found by turns; shown instead of the body's beginning.
    pub excerpt: Vec<String>,
    /// The words of that search, which a click on a value keeps.
    pub q: String,
    /// How many events in a row say the same, and where they stand one by one; none when it is one alone.
    pub times: Option<(usize, String)>,
    /// Whether the way to its place in the whole log is shown.
    pub to_context: bool,
}

/// A table of events; `children` are its rows. Roles are spelled out, since on a narrow screen the stylesheet lays rows out as grids,
/// which takes the table's own meaning away.
#[component]
pub fn EventTable(
    /// What the table holds, for those who cannot see it.
    caption: &'static str,
    /// Rows.
    children: Children,
) -> impl IntoView {
    let clock = use_page_clock();
    view! {
        <div class="panel table-frame">
            <table class="events" role="table">
                <caption class="visually-hidden">{caption}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader" class="c-time">{move || clock.zone_name()}</th>
                        <th scope="col" role="columnheader" class="c-type">{t!("type")}</th>
                        <th scope="col" role="columnheader" class="c-status">{t!("status")}</th>
                        <th scope="col" role="columnheader" class="c-agents">{t!("from → to")}</th>
                        <th scope="col" role="columnheader" class="c-room">{t!("stream / room")}</th>
                        <th scope="col" role="columnheader" class="c-body">{t!("body")}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{children()}</tbody>
            </table>
        </div>
    }
}

/// One event.
#[component]
pub fn EventRow(
    /// The event, its body cut to a preview.
    event: Event,
    /// The filter to which a click on a value adds.
    #[prop(optional)]
    filter: Filter,
    /// What else is to be said.
    #[prop(optional)]
    marks: Marks,
) -> impl IntoView {
    let class = match (marks.selected, marks.fresh) {
        (true, _) => "selected",
        (false, true) => "fresh",
        (false, false) => "",
    };
    let place = (filter, marks.q);
    let late = marks.late_from.map(|replica| {
        let title = t!("arrived after newer events, from hub {replica}", replica = replica);
        view! { " "<span class="late" title=title>{t!("late")}</span> }.into_any()
    });
    let status = event
        .status
        .clone()
        .map(|word| add(&place, Column::Status, &word, view! { <StatusBadge word=word.clone()/> }.into_any()));
    let from =
        add(&place, Column::FromAgent, &event.from_agent, view! { <Agent name=event.from_agent.clone()/> }.into_any());
    let to = event.to_agent.clone().map(|to| {
        let cell = add(&place, Column::ToAgent, &to, view! { <Agent name=to.clone()/> }.into_any());
        view! { <span class="arrow" aria-label=t!("to")>" → "</span>{cell} }.into_any()
    });
    let stream = add(&place, Column::Stream, &event.stream, revealed(last_part(&event.stream)));
    let room = add(&place, Column::Room, &event.room, revealed(&event.room));
    let kind = add(&place, Column::Type, &event.event_type, event.event_type.clone().into_any());
    view! {
        <tr class=class role="row" id=marks.selected.then_some("selected") aria-current=marks.selected.then_some("true")>
            <td role="cell" class="c-time"><Moment at=event.created_at.clone() form=Form::Row/>{late}</td>
            <td role="cell" class="c-type">{kind}</td>
            <td role="cell" class="c-status">{status}</td>
            <td role="cell" class="c-agents">{from}{to}</td>
            <td role="cell" class="c-room">{stream}<span class="slash">"/"</span>{room}</td>
            <td role="cell" class="c-body"><BodyLine event=event excerpt=marks.excerpt times=marks.times to_context=marks.to_context/></td>
        </tr>
    }
}

/// The first words of a body, leading to the whole event; beside it the way to the task.
#[component]
fn BodyLine(
    /// The event.
    event: Event,
    /// What is shown instead, if anything.
    excerpt: Vec<String>,
    /// How many say the same, and where they stand one by one.
    times: Option<(usize, String)>,
    /// Whether the way to its place in the whole log is shown.
    to_context: bool,
) -> impl IntoView {
    // A request's body starts with the word `Goal`; what tells it apart is the goal itself.
    let said = if event.event_type == "task.request" { title(&event.body) } else { &event.body };
    let line = one_line(said);
    let text = if !excerpt.is_empty() {
        marked(&excerpt)
    } else if line.is_empty() {
        view! { <span class="faint">{t!("no text")}</span> }.into_any()
    } else {
        revealed(&line)
    };
    let more = (event.body_truncated && excerpt.is_empty()).then_some("…");
    let task = event
        .correlation_id
        .as_ref()
        .map(|id| view! { <a class="to-task" href=href::task(id) title=id.clone()>{t!("task")}</a> }.into_any());
    let times = times.map(|(times, target)| {
        let title = t!("{times} events in a row say the same; this is the newest. Show them one by one", times = times);
        view! { <a class="times" href=target title=title>"×"{times}</a> }.into_any()
    });
    let context = to_context.then(|| {
        view! { <a class="to-task" href=href::around(&event.id) title=t!("its place in the whole log")>{t!("context")}</a> }
            .into_any()
    });
    view! { <span class="body-line">{times}<a class="to-event" href=href::event(&event.id)>{text}{more}</a>{context}{task}</span> }
}

/// Pieces of a text, every second one marked. As text, whatever they hold.
pub fn marked(pieces: &[String]) -> AnyView {
    let piece = |(at, piece): (usize, &String)| {
        let text = revealed(piece);
        if at % 2 == 0 { text } else { view! { <mark>{text}</mark> }.into_any() }
    };
    pieces.iter().enumerate().map(piece).collect_view().into_any()
}

/// A cell whose value can be added to the filter. What is in it already is no link.
fn add((filter, q): &(Filter, String), column: Column, value: &str, shown: AnyView) -> AnyView {
    if filters::has(filter, column, value) {
        return shown;
    }
    let target = href::search(&filters::with(filter, column, value), q, None);
    let title = t!("only {column} {value}", column = filters::label(column), value = value);
    view! { <a class="add" href=target title=title>{shown}</a> }.into_any()
}

/// The part of a stream's name that tells it apart in a narrow column; the whole name is in the link's title.
pub fn last_part(stream: &str) -> &str {
    stream.rsplit('/').find(|part| !part.is_empty()).unwrap_or(stream)
}

/// A text on one line: runs of white space become one space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_becomes_one_line() {
        assert_eq!(one_line("Goal:\r\n  a\tb\n\n"), "Goal: a b");
        assert_eq!(one_line(" \n"), "");
    }

    #[test]
    fn a_stream_is_told_apart_by_its_last_part() {
        for (stream, part) in [("project/atlas", "atlas"), ("shared", "shared"), ("a/", "a"), ("//", "//")] {
            assert_eq!(last_part(stream), part);
        }
    }
}
