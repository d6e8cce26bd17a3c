//! The filter as chips: what is asked for, what is left out, and the way to change it.

use leptos::prelude::*;
use loggia_domain::Filter;

use super::asked::Asked;
use crate::filters::{Condition, conditions, label, turned, without};
use crate::language::t;
use crate::parts::revealed;

/// The chips of a filter; nothing without one.
#[component]
pub(super) fn Chips(asked: Asked) -> impl IntoView {
    let filter = asked.filter.clone();
    let chips = conditions(&filter)
        .into_iter()
        .map(|condition| view! { <Chip asked=asked.clone() condition=condition/> }.into_any())
        .collect_view();
    let since = filter.since_created_at.clone().map(|at| {
        let target = asked.under(&Filter { since_created_at: None, ..filter.clone() });
        window_chip(t!("since "), at, target, t!("show earlier events too"))
    });
    let before = filter.before_created_at.clone().map(|at| {
        let target = asked.under(&Filter { before_created_at: None, ..filter.clone() });
        window_chip(t!("before "), at, target, t!("show later events too"))
    });
    let all = (!filter.is_empty())
        .then(|| view! { <li><a href=asked.under(&Filter::default())>{t!("show everything")}</a></li> }.into_any());
    view! { <ul class="chips" aria-label=t!("Filter")>{chips}{since}{before}{all}</ul> }
}

/// One end of a window in time.
fn window_chip(words: &'static str, at: String, without: String, label: &'static str) -> AnyView {
    view! {
        <li class="chip"><span>{words}<b>{at}</b></span><a class="chip-x" href=without aria-label=label>"×"</a></li>
    }
    .into_any()
}

#[component]
fn Chip(asked: Asked, condition: Condition) -> impl IntoView {
    let Condition { column, value, excluded } = condition.clone();
    let gone = asked.under(&without(&asked.filter, column, &value));
    let turn = asked.under(&turned(&asked.filter, &condition));
    let (words, turn_label) = if excluded { (t!("not "), t!("only this")) } else { ("", t!("leave out")) };
    view! {
        <li class="chip" class:not=excluded>
            <span>{words}{label(column)}" "<b>{revealed(&value)}</b></span>
            <a class="chip-turn" href=turn>{turn_label}</a>
            <a class="chip-x" href=gone aria-label=t!("remove {words}{column} {value}", words = words, column = label(column), value = value)>"×"</a>
        </li>
    }
}
