//! One entry: its text as it was written, and beside it what AAAK says in words.

use leptos::prelude::*;
use loggia_domain::palace::aaak::{self, Field, Item, Line};

use crate::backend::memory::Entry;
use crate::language::t;
use crate::pages::memory_parts::clock;
use crate::parts::{Agent, hue, revealed};
use crate::words::grouped;

/// From how many characters on an entry tells its length.
const LONG_CHARS: usize = 2_000;

/// The entry; whose it is only where it is not the page's own agent's.
pub(super) fn view(entry: &Entry, shows_agent: bool) -> AnyView {
    let agent = shows_agent.then(|| view! { <Agent name=entry.agent.clone()/> }.into_any());
    let chars = entry.text.chars().count();
    let length = (chars >= LONG_CHARS).then(|| {
        view! { <span class="faint">{t!("{count} characters", count = grouped(chars as u64))}</span> }.into_any()
    });
    let topic = (!entry.topic.is_empty())
        .then(|| view! { <span class="topic-name">{revealed(&entry.topic)}</span> }.into_any());
    // Not a `pre`: the first line feed of one is not a part of it.
    let raw = view! { <div class="verbatim" translate="no">{revealed(&entry.text)}</div> };
    let text = match aaak::read(&entry.text) {
        Some(lines) => view! {
            <div class="both">
                <div><h4>{t!("In words")}</h4>{in_words(&lines)}</div>
                <div><h4>{t!("As written")}</h4>{raw}</div>
            </div>
        }
        .into_any(),
        None => raw.into_any(),
    };
    view! {
        <article class="entry panel" id=entry.id.clone()>
            <header>
                <time class="mono" title=entry.timestamp.clone()>{clock(&entry.timestamp)}</time>
                {topic}
                {agent}
                {length}
                <span class="grow"></span>
                <span class="faint entry-wing">{revealed(&entry.wing)}</span>
            </header>
            {text}
        </article>
    }
    .into_any()
}

fn in_words(lines: &[Line]) -> AnyView {
    lines
        .iter()
        .map(|line| match line {
            Line::Plain(text) if text.trim().is_empty() => ().into_any(),
            Line::Plain(text) => view! { <p class="aaak-plain">{revealed(text)}</p> }.into_any(),
            Line::Fields(fields) => {
                let fields = fields.iter().map(field).collect_view();
                view! { <ul class="aaak">{fields}</ul> }.into_any()
            }
        })
        .collect_view()
        .into_any()
}

fn field(field: &Field) -> AnyView {
    let head = field.head.as_ref().map(|head| view! { <b>{revealed(head)}</b>" " }.into_any());
    let items = field
        .items
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let plus = (at > 0).then(|| view! { <span class="plus">" + "</span> }.into_any());
            view! { {plus}{item(one)} }.into_any()
        })
        .collect_view();
    view! { <li>{head}{items}</li> }.into_any()
}

fn item(item: &Item) -> AnyView {
    match item {
        Item::Words(text) => revealed(text),
        Item::Quote(text) => view! { <q>{revealed(text)}</q> }.into_any(),
        Item::Flag(word) => view! { <span class="flag">{word.clone()}</span> }.into_any(),
        Item::Entity(code) => view! {
            <span class="agent"><i class=format!("hue-{}", hue(code)) aria-hidden="true"></i>{code.clone()}</span>
        }
        .into_any(),
        Item::Stars(count) => view! {
            <span class="stars" role="img" aria-label=t!("weight {count} of 5", count = count)>
                {"★".repeat(*count)}<i aria-hidden="true">{"★".repeat(5_usize.saturating_sub(*count))}</i>
            </span>
        }
        .into_any(),
    }
}
