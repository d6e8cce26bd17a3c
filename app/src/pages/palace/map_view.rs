//! The map, drawn, and the tunnels in words below it.

use leptos::prelude::*;

use super::address;
use super::map::{BOX_WIDTH, Map, WingBox, map};
use crate::backend::memory::{Joints, PalaceQuery, Tunnel};
use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, cut, grouped};

/// How many characters of a name fit into a box.
const NAME_CHARS: usize = 19;
/// How many tunnels are told in words at most.
const MAX_TOLD: usize = 40;

/// The map of all wings, and what joins their rooms.
pub(super) fn view(wings: &[(&str, &[(String, u64)])], joints: &Joints) -> AnyView {
    if wings.is_empty() {
        return ().into_any();
    }
    let drawn = map(wings, joints);
    let said = t!(
        "{tunnels}, {rooms} of one name",
        tunnels = counted(joints.tunnels.len() as u64, t!("tunnel##n"), t!("tunnels##n")),
        rooms = counted(joints.shared.len() as u64, t!("room##n"), t!("rooms##n"))
    );
    let left_out = (drawn.more_wings + drawn.more_lines > 0).then(|| {
        let said = t!(
            "Not drawn: {wings}, {lines}.",
            wings = counted(drawn.more_wings as u64, t!("wing##n"), t!("wings##n")),
            lines = counted(drawn.more_lines as u64, t!("line##map"), t!("lines##map"))
        );
        view! { <p class="faint">{said}</p> }.into_any()
    });
    view! {
        <section>
            <div class="section-head"><h2>{t!("Map")}</h2><span class="faint">{said}</span></div>
            <div class="map-frame panel" tabindex="0" role="region" aria-label=t!("Map of wings and rooms")>{drawing(&drawn)}</div>
            <p class="map-key faint">
                <span class="dug">{t!("tunnel##map")}</span><span class="found">{t!("imported tunnel")}</span><span class="shared">{t!("rooms of one name")}</span>
            </p>
            {left_out}
            {told(&joints.tunnels)}
        </section>
    }
    .into_any()
}

fn drawing(map: &Map) -> AnyView {
    let lines = |far: bool| {
        let lines = map.lines.iter().filter(move |line| line.is_far == far).map(|line| {
            let class = format!("joint {}{}", line.class, if far { " far" } else { "" });
            view! { <path class=class d=line.d.clone()><title>{line.about.clone()}</title></path> }.into_any()
        });
        lines.collect_view()
    };
    let boxes = map.boxes.iter().map(wing).collect_view();
    view! {
        <svg class="map" width=map.width.to_string() height=map.height.to_string() viewBox=format!("0 0 {} {}", map.width, map.height)
            role="group" aria-label=t!("{wings} and what joins their rooms", wings = counted(map.boxes.len() as u64, t!("wing##n"), t!("wings##n")))>
            {lines(false)}{boxes}{lines(true)}
        </svg>
    }
    .into_any()
}

fn wing(wing: &WingBox) -> AnyView {
    let here = PalaceQuery { wing: Some(wing.name.clone()), ..PalaceQuery::default() };
    let rooms = wing
        .rooms
        .iter()
        .map(|room| {
            let target = PalaceQuery { room: Some(room.name.clone()), ..here.clone() };
            let rows = if room.rows == 0 { t!("empty").to_owned() } else { grouped(room.rows) };
            let (x, y) = (wing.x, room.y + 4);
            view! {
                <circle class="door" cx=(x + 13).to_string() cy=room.y.to_string() r="3"/>
                <a href=address(&target)>
                    <text class="room-name" x=(x + 22).to_string() y=y.to_string()>{shortened(&room.name)}</text>
                </a>
                <text class="rows" x=(x + BOX_WIDTH - 10).to_string() y=y.to_string()>{rows}</text>
            }
            .into_any()
        })
        .collect_view();
    let more = (wing.more > 0).then(|| {
        let y = wing.y + wing.height - 16;
        let said = t!("and {rooms}", rooms = counted(wing.more as u64, t!("more room##n"), t!("more rooms##n")));
        view! { <text class="rows more" x=(wing.x + 22).to_string() y=y.to_string()>{said}</text> }.into_any()
    });
    view! {
        <rect class="wing" x=wing.x.to_string() y=wing.y.to_string() width=BOX_WIDTH.to_string() height=wing.height.to_string() rx="6"/>
        <a href=address(&here)>
            <text class="wing-name" x=(wing.x + 10).to_string() y=(wing.y + 20).to_string()>{shortened(&wing.name)}</text>
        </a>
        {rooms}{more}
    }
    .into_any()
}

fn shortened(name: &str) -> AnyView {
    match cut(name, NAME_CHARS) {
        (_, 0) => name.to_owned().into_any(),
        (beginning, _) => view! { {format!("{beginning}…")}<title>{name.to_owned()}</title> }.into_any(),
    }
}

/// The tunnels in words: the same as drawn, and why.
fn told(tunnels: &[Tunnel]) -> Option<AnyView> {
    if tunnels.is_empty() {
        return None;
    }
    let items = tunnels.iter().rev().take(MAX_TOLD).map(tunnel).collect_view();
    let said = if tunnels.len() > MAX_TOLD {
        t!(
            "The last {shown} of {tunnels}",
            shown = MAX_TOLD,
            tunnels = counted(tunnels.len() as u64, t!("tunnel##n"), t!("tunnels##n"))
        )
    } else {
        t!("Tunnels in words").to_owned()
    };
    Some(view! { <details class="told"><summary>{said}</summary><ul>{items}</ul></details> }.into_any())
}

fn tunnel(tunnel: &Tunnel) -> AnyView {
    let end = |(wing, room): &(String, String)| {
        let target = PalaceQuery { wing: Some(wing.clone()), room: Some(room.clone()), ..PalaceQuery::default() };
        view! { <a href=address(&target)>{revealed(wing)}" / "{revealed(room)}</a> }.into_any()
    };
    let label = (!tunnel.label.is_empty()).then(|| view! { ": "{revealed(&tunnel.label)} }.into_any());
    let followed = counted(u64::try_from(tunnel.followed).unwrap_or(0), t!("time##n"), t!("times##n"));
    let facts = t!(
        "{kind}, followed {times}, strength {strength}",
        kind = tunnel.kind,
        times = followed,
        strength = format!("{:.2}", tunnel.strength)
    );
    view! {
        <li>{end(&tunnel.source)}" → "{end(&tunnel.target)}{label}" "<small class="faint">{facts}</small></li>
    }
    .into_any()
}
