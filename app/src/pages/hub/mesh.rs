//! A picture of the hubs: this one, those that it pulls from, and those that it knows only through others. A row each, so that no line
//! crosses another and every name can be read on a phone, with one hub as with twelve.

use leptos::prelude::*;

use super::{short, standing};
use crate::backend::hub::{Estate, Peer};
use crate::language::t;
use crate::words::{cut, grouped};

/// How wide the picture is; its height follows the rows.
const WIDTH: usize = 420;
/// How high a row is.
const ROW: usize = 48;
/// Where this hub ends and lines arrive.
const OWN_RIGHT: usize = 104;
/// Where the other hubs' shapes are.
const NODE: usize = 186;
/// Where their names begin.
const NAMES: usize = 206;
/// How many hubs are drawn that are known only through others.
const UNNAMED_SHOWN: usize = 6;
/// How much of a name has room.
const NAME_CHARS: usize = 22;

/// The panel.
pub(super) fn panel(estate: &Estate) -> AnyView {
    let unnamed = estate.unnamed.len().min(UNNAMED_SHOWN);
    let rows = (estate.peers.len() + unnamed).max(1);
    let height = rows * ROW + 16;
    let (name, own) = (cut(&estate.name, 12).0.to_owned(), short(&estate.replica_id));
    let middle = height / 2;
    let peers = estate.peers.iter().enumerate().map(|(at, one)| peer(one, line_of(at))).collect_view();
    let others = estate.unnamed.iter().take(unnamed).enumerate();
    let others = others.map(|(at, (origin, _))| other(origin, line_of(estate.peers.len() + at))).collect_view();
    let alone = (estate.peers.is_empty() && unnamed == 0).then(|| {
        let (x, y) = (OWN_RIGHT + 18, middle + 5);
        view! { <text class="aside" x=x y=y>{t!("pulls from no other hub")}</text> }.into_any()
    });
    let box_height = height - 16;
    let words = t!("Hubs: this one at the left; at the right those that it pulls from, each with its state");
    let left_out = estate.unnamed.len() - unnamed;
    let left_out =
        (left_out > 0).then(|| view! { <p class="faint">{t!("Not drawn: {n} more.", n = left_out)}</p> }.into_any());
    let legend = (!estate.peers.is_empty()).then(|| {
        view! {
            <p class="faint">
                {t!("Upper arrow: this hub pulls. Lower arrow, dotted: the other has events of this hub, pulled by itself or through others.")}
            </p>
        }
        .into_any()
    });
    view! {
        <section class="panel padded mesh" aria-label=t!("Mesh")>
            <h2>{t!("Mesh")}</h2>
            <svg viewBox=format!("0 0 {WIDTH} {height}") role="img" aria-label=words>
                <rect class="own" x="1" y="8" width=OWN_RIGHT - 2 height=box_height rx="8"/>
                <text class="name" x=OWN_RIGHT / 2 y=middle - 3 text-anchor="middle">{name}</text>
                <text class="aside" x=OWN_RIGHT / 2 y=middle + 15 text-anchor="middle">{own}</text>
                {peers}
                {others}
                {alone}
            </svg>
            {left_out}
            {legend}
        </section>
    }
    .into_any()
}

fn line_of(row: usize) -> usize {
    8 + row * ROW + ROW / 2
}

fn peer(peer: &Peer, y: usize) -> AnyView {
    let (class, word) = standing(peer);
    let (pull, push) = (y - 5, y + 6);
    let from = NODE - 12;
    let line = format!("M{from} {pull}H{}", OWN_RIGHT + 9);
    let head = format!("M{OWN_RIGHT} {pull}l9 -4.5v9z");
    let back = peer.has_ours.map(|_| {
        let line = format!("M{OWN_RIGHT} {push}H{}", from - 7);
        let head = format!("M{from} {push}l-7 -3.5v7z");
        view! { <path class="back" d=line/><path class="back-head" d=head/> }.into_any()
    });
    let missing = peer.drift.iter().map(|d| d.there.saturating_sub(d.here).max(0));
    let behind = missing.fold(0, i64::saturating_add);
    let said = match u64::try_from(behind) {
        Ok(n) if n > 0 => t!("{word}, {n} to come", word = word, n = grouped(n)),
        _ => word.to_owned(),
    };
    let name = cut(&peer.name, NAME_CHARS).0.to_owned();
    view! {
        <g class=class>
            <path class="edge" d=line/>
            <path class="head" d=head/>
            {back}
            <path class="node" d=shape(class, NODE, y)/>
            <text class="name" x=NAMES y=y - 2>{name}</text>
            <text class="word" x=NAMES y=y + 15>{said}</text>
        </g>
    }
    .into_any()
}

fn other(origin: &str, y: usize) -> AnyView {
    view! {
        <g class="other">
            <path class="node" d=format!("M{NODE} {}l8 8l-8 8l-8 -8z", y - 8)/>
            <text class="name" x=NAMES y=y - 2>{short(origin)}</text>
            <text class="word" x=NAMES y=y + 15>{t!("known through others")}</text>
        </g>
    }
    .into_any()
}

/// The shape of a hub, so that nobody has to tell colours apart: a disc, a cross, a square, a ring.
fn shape(class: &str, x: usize, y: usize) -> String {
    match class {
        "failed" => format!("M{} {}l14 14m0 -14l-14 14", x - 7, y - 7),
        "blocked" => format!("M{} {}h14v14h-14z", x - 7, y - 7),
        _ => format!("M{} {y}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0z", x - 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::hub::Drift;

    #[test]
    fn one_two_five_and_twelve_hubs_have_a_row_each() {
        for n in [0, 1, 2, 5, 12] {
            let hubs = (0..n).map(|at| Peer { name: format!("hub<{at}>"), was_reached: true, ..Peer::default() });
            let estate = Estate { peers: hubs.collect(), ..Estate::default() };
            let html = panel(&estate).to_html();
            assert_eq!(html.matches("class=\"edge\"").count(), n, "{html}");
            assert_eq!(html.matches("hub&lt;").count(), n, "{html}");
            let height = n.max(1) * ROW + 16;
            assert!(html.contains(&format!("viewBox=\"0 0 420 {height}\"")), "{html}");
        }
    }

    #[test]
    fn whatever_numbers_a_peer_tells_are_drawn() {
        let drift = |here, there| Drift { here, there, ..Drift::default() };
        let drift = vec![drift(1, i64::MIN), drift(-1, i64::MAX), drift(0, i64::MAX)];
        let html = peer(&Peer { drift, ..Peer::default() }, 32).to_html();
        assert!(html.contains("to come"), "{html}");
    }

    #[test]
    fn a_hub_that_fails_has_a_shape_and_a_word() {
        let failing = Peer { last_error_at: Some("2026-11-30T14:00:00Z".to_owned()), ..Peer::default() };
        let html = peer(&failing, 32).to_html();
        assert!(html.contains("failing") && html.contains("m0 -14"), "{html}");
    }
}
