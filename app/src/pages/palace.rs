//! `/palace`: wings, rooms and drawers, what joins them, facts, and what was written last. Written on the hub, see [`super::sheet`].

mod bars;
mod changes;
mod drawer;
mod facts;
mod list;
mod map;
mod map_view;
mod tree;

use leptos::prelude::*;

use super::memory_parts::{here_only, off};
use crate::backend::memory::{Memory, PalaceBody, PalacePage, PalaceQuery};
use crate::href;
use crate::language::t;
use crate::parts::{revealed, searches_list};
use crate::words::counted;

/// What an address asks for.
pub(super) fn query(search: &str) -> PalaceQuery {
    let given = |key| href::value(search, key).filter(|value| !value.trim().is_empty());
    PalaceQuery {
        wing: given("wing"),
        room: given("room"),
        q: given("q").unwrap_or_default(),
        id: given("id"),
        facts: given("facts").is_some(),
        entity: given("entity"),
        from: given("from").and_then(|n| n.parse().ok()).unwrap_or(0),
    }
}

/// The address of a part of the palace.
fn address(query: &PalaceQuery) -> String {
    let from = query.from.to_string();
    let pairs = [
        ("q", Some(query.q.as_str()).filter(|q| !q.is_empty())),
        ("wing", query.wing.as_deref()),
        ("room", query.room.as_deref()),
        ("facts", query.facts.then_some("1")),
        ("entity", query.entity.as_deref()),
        ("from", (query.from > 0).then_some(from.as_str())),
        ("id", query.id.as_deref()),
    ];
    let query = href::query(pairs.into_iter().filter_map(|(key, value)| Some((key, value?))));
    if query.is_empty() { "/palace".to_owned() } else { format!("/palace?{query}") }
}

/// Its title and its view.
pub(super) fn page(query: &PalaceQuery, answer: Memory<PalacePage>) -> (String, AnyView) {
    match answer {
        Memory::Off(reason) => (t!("Palace").to_owned(), off(&reason)),
        Memory::On(page) => (t!("Palace").to_owned(), palace_view(query, page)),
    }
}

fn palace_view(query: &PalaceQuery, page: PalacePage) -> AnyView {
    let PalacePage { wings, body, drawer, searches, now_ms } = page;
    let rooms: usize = wings.iter().map(|wing| wing.rooms.len()).sum();
    let sum = format!(
        "{}{}{}",
        counted(wings.len() as u64, t!("wing##n"), t!("wings##n")),
        t!(", "),
        counted(rooms as u64, t!("room##n"), t!("rooms##n"))
    );
    let is_vacant = wings.is_empty();
    let tree = tree::view(query, &wings);
    let has_drawer = drawer.is_some();
    let is_list = !matches!(body, PalaceBody::Overview { .. });
    let layout = match (is_list, has_drawer) {
        (_, true) => "palace-grid narrowed with-drawer",
        (true, false) => "palace-grid narrowed",
        (false, false) => "palace-grid",
    };
    let body = match body {
        PalaceBody::Overview { facts, changes, .. } if is_vacant && facts.is_empty() && changes.is_empty() => vacant(),
        PalaceBody::Overview { changes, joints, facts, facts_total } => {
            let facts = (facts_total > 0).then(|| facts::some(&facts, facts_total, now_ms));
            let tree = wings.iter().map(|wing| (wing.name.as_str(), wing.rooms.as_slice())).collect::<Vec<_>>();
            view! { {map_view::view(&tree, &joints)} {changes::view(&changes)} {facts} }.into_any()
        }
        PalaceBody::Drawers { rows, total } => list::drawers(query, &rows, total),
        PalaceBody::Hits { rows, shortened, words_only } => list::hits(query, &rows, shortened, words_only),
        PalaceBody::Facts { facts, total, candidates } => facts::all(query, &facts, total, &candidates, now_ms),
    };
    let drawer = drawer.map(|drawer| drawer::view(query, drawer));
    view! {
        <div class="page-head">
            <h1>{if is_vacant { t!("Palace").into_any() } else { view! { <a class="plain" href="/palace">{t!("Palace")}</a> }.into_any() }}</h1>
            <span class="faint">{sum}</span>
            <span class="grow"></span>
            {search_box(query, searches)}
            <p class="page-sub faint">{here_only()}{t!(" Times are this hub's local time; those of facts are UTC.")}</p>
        </div>
        {path(query)}
        <div class=layout class:vacant=is_vacant>
            {tree}
            <div class="palace-body stack">{body}</div>
            {drawer}
        </div>
    }
    .into_any()
}

/// A plain form: finding is the hub's. What the list is narrowed to stays.
fn search_box(query: &PalaceQuery, searches: Vec<String>) -> AnyView {
    let kept = [("wing", &query.wing), ("room", &query.room)].into_iter().filter_map(|(name, value)| {
        let value = value.clone()?;
        Some(view! { <input type="hidden" name=name value=value/> }.into_any())
    });
    let kept = kept.collect_view();
    view! {
        <form method="get" action="/palace" role="search" class="search">
            {kept}
            <input type="search" name="q" value=query.q.clone() maxlength="2000" placeholder=t!("Search drawers and diaries")
                aria-label=t!("Search the palace") list="searches" autocomplete="off" spellcheck="false"/>
            {searches_list(searches)}
            <button type="submit" class="button">{t!("Search")}</button>
        </form>
    }
    .into_any()
}

/// Where the reader is, each part leading to itself.
fn path(query: &PalaceQuery) -> Option<AnyView> {
    let wing = query.wing.clone().map(|wing| {
        let target = address(&PalaceQuery { wing: Some(wing.clone()), ..PalaceQuery::default() });
        view! { <li><a href=target>{revealed(&wing)}</a></li> }.into_any()
    });
    let room = query.room.clone().map(|room| {
        let here = PalaceQuery { wing: query.wing.clone(), room: Some(room.clone()), ..PalaceQuery::default() };
        view! { <li><a href=address(&here)>{revealed(&room)}</a></li> }.into_any()
    });
    let has_place = wing.is_some() || room.is_some();
    has_place.then(|| {
        view! {
            <nav aria-label=t!("Where you are")><ol class="path"><li><a href="/palace">{t!("Palace")}</a></li>{wing}{room}</ol></nav>
        }
        .into_any()
    })
}

fn vacant() -> AnyView {
    view! {
        <section class="panel padded teach">
            <p>
                {t!("The palace is empty. Agents file what is worth keeping as drawers, in rooms of a wing for each project or person; here they \
                can be looked through, searched, and followed from room to room.")}
            </p>
            <p class="muted">{t!("The first drawer is filed with")}</p>
            <p><code>"loggia drawer add --wing atlas --room decisions --content \"We index events by room\""</code></p>
            <p class="muted">{t!("A palace of MemPalace is taken over with ")}<code>"loggia import mempalace DIR"</code>{t!(".")}</p>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_palace_survives_its_link() {
        for name in ["a b&c", "50%41", "<script>", "é漢😀", "topic:x"] {
            let asked = PalaceQuery {
                wing: Some(name.to_owned()),
                room: Some(name.to_owned()),
                q: name.to_owned(),
                id: Some(name.to_owned()),
                facts: true,
                entity: Some(name.to_owned()),
                from: 20,
            };
            let address = address(&asked);
            assert_eq!(query(address.split_once('?').expect("a query").1), asked, "{address}");
        }
        assert_eq!(address(&PalaceQuery::default()), "/palace");
    }
}
