//! How the events of session memory reach others: what was published, what was not and why, and how far consumers are.

use leptos::prelude::*;

use crate::backend::sessions::{Group, PipelineState};
use crate::language::t;
use crate::parts::revealed;
use crate::words::{ago, grouped};

/// The panel.
pub(super) fn view(pipeline: Option<PipelineState>, now_ms: u64) -> AnyView {
    let body = match pipeline {
        Some(pipeline) => state(pipeline, now_ms),
        None => view! {
            <p class="muted">
                <span class="standing">{t!("off")}</span>" "
                {t!("Nothing is published. With ")}<code>"L0_PIPELINE_ENABLED=true"</code>{t!(" and ")}<code>"REDIS_URL"</code>{t!(" or ")}
                <code>"L0_PIPELINE_REDIS_URL"</code>{t!(" each write also becomes an entry of a Redis stream.")}
            </p>
        }
        .into_any(),
    };
    view! { <section class="panel padded pipeline" aria-label=t!("Output pipeline")><h2>{t!("Output pipeline")}</h2>{body}</section> }
        .into_any()
}

fn state(pipeline: PipelineState, now_ms: u64) -> AnyView {
    let badge = match &pipeline.trouble {
        None => view! { <span class="status applied">{t!("publishing")}</span> }.into_any(),
        Some(error) => {
            view! { <span class="status failed">{t!("cannot publish")}</span>" "<code>{revealed(error)}</code> }
                .into_any()
        }
    };
    let last = pipeline.last_error.as_ref().map(|(error, at_ms)| {
        let when = ago("", now_ms.saturating_sub(*at_ms)).trim_start().to_owned();
        view! { <p class="muted">{t!("Last error, ")}{when}{t!(": ")}<code>{revealed(error)}</code></p> }.into_any()
    });
    let (length, groups) = match pipeline.read {
        Ok((length, groups)) => (grouped(length), self::groups(groups)),
        Err(error) => (
            t!("unknown##hub").to_owned(),
            view! { <p class="muted">{t!("Redis does not say how far its consumers are: ")}<code>{revealed(&error)}</code></p> }
                .into_any(),
        ),
    };
    let figure = |name: &'static str, value: String, is_bad: bool| {
        view! { <div class:hot=is_bad><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
    };
    view! {
        <p>{badge}" "<span class="faint">{t!("stream ")}<b class="mono">{revealed(&pipeline.stream)}</b>{t!(" in ")}<b class="mono">{pipeline.redis}</b></span></p>
        <dl class="figures">
            {figure(t!("published##hub"), grouped(pipeline.published), false)}
            {figure(t!("waiting##hub"), grouped(pipeline.waiting), pipeline.trouble.is_some() && pipeline.waiting > 0)}
            {figure(t!("dropped##hub"), grouped(pipeline.dropped), pipeline.dropped > 0)}
            {figure(t!("entries in the stream"), length, false)}
            {figure(t!("kept at least"), grouped(pipeline.max_entries), false)}
        </dl>
        {last}
        {groups}
    }
    .into_any()
}

fn groups(groups: Vec<Group>) -> AnyView {
    if groups.is_empty() {
        return view! { <p class="muted">{t!("No consumer group yet. Readers without a group leave no trace here.")}</p> }
            .into_any();
    }
    let rows = groups
        .into_iter()
        .map(|group| {
            let lag = group.lag.map_or_else(|| t!("unknown##hub").to_owned(), grouped);
            view! {
                <tr>
                    <td class="mono">{revealed(&group.name)}</td>
                    <td class="number">{grouped(group.consumers)}</td>
                    <td class="number">{grouped(group.pending)}</td>
                    <td class="number">{lag}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <table class="plain-table groups">
            <caption class="visually-hidden">{t!("Consumer groups")}</caption>
            <thead>
                <tr>
                    <th scope="col">{t!("consumer group")}</th>
                    <th scope="col" class="number">{t!("consumers")}</th>
                    <th scope="col" class="number">{t!("pending")}</th>
                    <th scope="col" class="number">{t!("lag")}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}
