//! The hubs that this one pulls from: whether each answers, author by author how far the two are apart, and what keeps events from coming.

use leptos::prelude::*;

use super::{badge, short, since, standing};
use crate::backend::hub::{Block, Drift, Estate, HubPage, Peer, Thing};
use crate::href;
use crate::language::t;
use crate::parts::{revealed, written_time};
use crate::words::{grouped, grouped_seq};

/// How many authors of a peer are shown at once.
const DRIFT_SHOWN: usize = 6;
/// How long the longest bar is.
const BAR: u64 = 100;
/// From how many milliseconds on a clock is worth a look.
const CLOCK_OFF_MS: u64 = 5_000;

/// The panel.
pub(super) fn panel(page: &HubPage) -> AnyView {
    let estate = &page.estate;
    let body = if estate.peers.is_empty() { nobody() } else { table(page) };
    let rhythm = if estate.interval_s > 0.0 {
        t!("pulled every {n} s, and at once from hubs that tell", n = estate.interval_s)
    } else {
        t!("pulling is off").to_owned()
    };
    view! {
        <section class="panel padded replicas" aria-label=t!("Replicas")>
            <div class="section-head"><h2>{t!("Replicas")}</h2><span class="faint">{rhythm}</span></div>
            {body}
            {unnamed(estate)}
            <p class="faint">{t!("Events and their artifacts travel. Diaries, drawers, facts and session memory stay on their hub.")}</p>
        </section>
    }
    .into_any()
}

fn nobody() -> AnyView {
    view! {
        <p>{t!("This hub pulls from no other.")}</p>
        <p class="muted">{t!("With another hub's token in a file, this adds it:")}</p>
        <p><code>"loggia peers add NAME https://hub.example.com --token-file FILE"</code></p>
    }
    .into_any()
}

fn table(page: &HubPage) -> AnyView {
    let widest = page.estate.peers.iter().flat_map(|peer| &peer.drift).map(apart).max().unwrap_or(1);
    let bodies = page.estate.peers.iter().map(|peer| rows(peer, page.now_ms, widest)).collect_view();
    view! {
        <table class="replica-table">
            <caption class="visually-hidden">{t!("The hubs that this one pulls from")}</caption>
            <thead>
                <tr>
                    <th scope="col">{t!("hub##hub")}</th>
                    <th scope="col">{t!("state##hub")}</th>
                    <th scope="col">{t!("last contact##hub")}</th>
                    <th scope="col">{t!("clock##hub")}</th>
                    <th scope="col" class="number">{t!("pulled##hub")}</th>
                </tr>
            </thead>
            {bodies}
        </table>
    }
    .into_any()
}

fn rows(peer: &Peer, now_ms: u64, widest: u64) -> AnyView {
    let id = peer
        .replica_id
        .clone()
        .map(|id| view! { <code class="detail" title=id.clone()>{short(&id)}</code> }.into_any());
    let url = peer.url.as_deref().map(|url| view! { <span class="detail">{revealed(url)}</span> }.into_any());
    let program = peer.program.as_deref().map(|text| view! { <span class="detail">{revealed(text)}</span> }.into_any());
    let failures = (peer.failures > 0)
        .then(|| view! { <span class="detail">{t!("failed rounds: {n}", n = peer.failures)}</span> }.into_any());
    let contact = match &peer.last_contact_at {
        Some(at) => view! { {since(at, now_ms)}<span class="detail">{written_time(at)}</span> }.into_any(),
        None => t!("never##hub").into_any(),
    };
    let pulled = grouped(peer.pulled_events);
    let artifacts = t!("artifacts: {n}", n = grouped(peer.pulled_artifacts));
    view! {
        <tbody>
            <tr>
                <th scope="row"><b>{revealed(&peer.name)}</b>{id}{program}{url}</th>
                <td>{badge(standing(peer))}{failures}</td>
                <td>{contact}</td>
                <td>{clock(peer)}</td>
                <td class="number"><span class="of">{t!("pulled##hub")}" "</span>{pulled}<span class="detail">{artifacts}</span></td>
            </tr>
            <tr class="more"><td colspan="5">{error(peer, now_ms)}{blocks(peer, now_ms)}{drifts(peer, widest)}</td></tr>
        </tbody>
    }
    .into_any()
}

fn clock(peer: &Peer) -> AnyView {
    let Some(ms) = peer.clock_difference_ms else {
        return view! { <span class="faint">{t!("unknown##hub")}</span> }.into_any();
    };
    let seconds = ms.unsigned_abs() / 1000;
    if seconds == 0 {
        return t!("same##hub").into_any();
    }
    let said = if ms > 0 { t!("{n} s ahead", n = grouped(seconds)) } else { t!("{n} s behind", n = grouped(seconds)) };
    let is_off = ms.unsigned_abs() >= CLOCK_OFF_MS;
    view! { <span class:hot=is_off>{said}</span> }.into_any()
}

fn error(peer: &Peer, now_ms: u64) -> Option<AnyView> {
    let at = peer.last_error_at.as_deref()?;
    let why = match &peer.last_error {
        Some(error) => view! { <code>{revealed(error)}</code> }.into_any(),
        None => t!("Why is shown to who manages the hub.").into_any(),
    };
    Some(view! { <p class="hot-line">{t!("Last error, {ago}: ", ago = since(at, now_ms))}{why}</p> }.into_any())
}

fn blocks(peer: &Peer, now_ms: u64) -> Option<AnyView> {
    let odd = (peer.odd_entries > 0).then(|| {
        view! { <p class="faint">{t!("Entries of its vector that are none: {n}.", n = peer.odd_entries)}</p> }
            .into_any()
    });
    if peer.blocks.is_empty() {
        return odd;
    }
    let items = peer.blocks.iter().map(|one| block(peer, one, now_ms)).collect_view();
    Some(
        view! {
            <p class="muted">{t!("Authors whose events do not come from here:")}</p>
            <ul class="blocks">{items}</ul>
            {odd}
        }
        .into_any(),
    )
}

fn block(peer: &Peer, block: &Block, now_ms: u64) -> AnyView {
    let event = block.event.as_ref().map(|one| {
        let (here, there) = (href::event(&one.id), elsewhere(peer, &href::event(&one.id)));
        view! { " "{t!("event##hub")}" "{thing(one, here, there)} }.into_any()
    });
    let artifact = block.artifact.as_ref().map(|one| {
        let (here, there) = (href::artifact(&one.id), elsewhere(peer, &href::artifact(&one.id)));
        view! { " "{t!("artifact##hub")}" "{thing(one, here, there)} }.into_any()
    });
    view! {
        <li>
            <span class="status blocked">{t!("stopped##hub")}</span>" "{author(&block.origin, block.name.as_deref())}{event}{artifact}
            <span class="detail">{revealed(&block.reason)}" · "{since(&block.since, now_ms)}</span>
        </li>
    }
    .into_any()
}

/// An id as a link: to this hub where it is here, else to the hub that has it, where its address may be shown.
fn thing(thing: &Thing, here: String, there: Option<String>) -> AnyView {
    let id = revealed(&thing.id);
    match (thing.is_here, there) {
        (true, _) => view! { <a href=here><code>{id}</code></a> }.into_any(),
        (false, Some(there)) => {
            view! { <a href=there rel="external noreferrer"><code>{id}</code></a>" ("{t!("over there##hub")}")" }
                .into_any()
        }
        (false, None) => view! { <code>{id}</code>" ("{t!("not here##hub")}")" }.into_any(),
    }
}

/// The same page on a peer that is a Loggia; no other program has it.
fn elsewhere(peer: &Peer, path: &str) -> Option<String> {
    let url = peer.url.as_deref().filter(|url| url.starts_with("http://") || url.starts_with("https://"))?;
    let is_loggia = peer.program.as_deref().is_some_and(|program| program.starts_with("loggia/"));
    is_loggia.then(|| format!("{}{path}", url.trim_end_matches('/')))
}

fn author(origin: &str, name: Option<&str>) -> AnyView {
    let name = name.map(|name| view! { <b>{revealed(name)}</b>" " }.into_any());
    view! { {name}<code title=origin.to_owned()>{short(origin)}</code> }.into_any()
}

fn drifts(peer: &Peer, widest: u64) -> AnyView {
    if peer.replica_id.is_none() {
        return ().into_any();
    }
    if peer.drift.is_empty() {
        return view! { <p class="in-step">{t!("In step: both have the same of every author.")}</p> }.into_any();
    }
    let (shown, rest) = peer.drift.split_at(peer.drift.len().min(DRIFT_SHOWN));
    let rows = |drifts: &[Drift]| drifts.iter().map(|one| drift(one, widest)).collect_view();
    let more = (!rest.is_empty()).then(|| {
        view! {
            <details><summary>{t!("{n} more authors", n = rest.len())}</summary><ul class="drifts">{rows(rest)}</ul></details>
        }
        .into_any()
    });
    view! { <ul class="drifts">{rows(shown)}</ul>{more} }.into_any()
}

/// How far two hubs are apart in an author's numbers.
fn apart(drift: &Drift) -> u64 {
    drift.there.abs_diff(drift.here)
}

fn drift(drift: &Drift, widest: u64) -> AnyView {
    let n = apart(drift);
    let length = (u128::from(n) * u128::from(BAR) / u128::from(widest.max(1))).max(2);
    let is_behind = drift.there > drift.here;
    let (class, said) = if is_behind {
        ("behind", t!("{n} not here yet", n = grouped(n)))
    } else {
        ("ahead", t!("{n} not there yet", n = grouped(n)))
    };
    let numbers = t!("here {here}, there {there}", here = grouped_seq(drift.here), there = grouped_seq(drift.there));
    view! {
        <li class=class title=numbers>
            <span class="author">{author(&drift.origin, drift.name.as_deref())}</span>
            <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                <rect class="track" width="100" height="8"/>
                <rect class="fill" width=length.to_string() height="8"/>
            </svg>
            <span>{said}</span>
        </li>
    }
    .into_any()
}

fn unnamed(estate: &Estate) -> Option<AnyView> {
    if estate.unnamed.is_empty() {
        return None;
    }
    let items = estate
        .unnamed
        .iter()
        .map(|(origin, n)| {
            view! { <li><code title=origin.clone()>{revealed(origin)}</code>" "<span class="faint">{t!("up to {n}", n = grouped_seq(*n))}</span></li> }.into_any()
        })
        .collect_view();
    Some(
        view! {
            <details class="unnamed">
                <summary>{t!("Authors known only through others: {n}", n = estate.unnamed.len())}</summary>
                <ul>{items}</ul>
                <p class="faint">{t!("Hubs that no peer here answers for: one that was not reached yet, one behind a peer, one that is no more, or this hub under an earlier identity.")}</p>
            </details>
        }
        .into_any(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_where_the_thing_is() {
        let mut peer = Peer { url: Some("https://a.example/".to_owned()), ..Peer::default() };
        assert_eq!(elsewhere(&peer, "/event?id=x"), None, "another program has no such page");
        peer.program = Some("loggia/0.1.0".to_owned());
        assert_eq!(elsewhere(&peer, "/event?id=x").as_deref(), Some("https://a.example/event?id=x"));
        peer.url = Some("javascript:alert(1)//".to_owned());
        assert_eq!(elsewhere(&peer, "/event?id=x"), None);
        let html = |is_here| thing(&Thing { id: "<b>".to_owned(), is_here }, "/event?id=x".to_owned(), None).to_html();
        assert!(html(true).contains("href=\"/event?id=x\"") && html(true).contains("&lt;b&gt;"), "{}", html(true));
        assert!(!html(false).contains("href"), "{}", html(false));
    }

    #[test]
    fn a_bar_is_as_long_as_the_gap_is_wide() {
        let of = |here, there| drift(&Drift { here, there, ..Drift::default() }, 200).to_html();
        assert!(of(0, 100).contains("class=\"behind\"") && of(0, 100).contains("width=\"50\""), "{}", of(0, 100));
        assert!(of(1, 0).contains("class=\"ahead\"") && of(1, 0).contains("width=\"2\""), "{}", of(1, 0));
        assert!(of(i64::MIN, i64::MAX).contains("behind"), "no overflow");
    }
}
