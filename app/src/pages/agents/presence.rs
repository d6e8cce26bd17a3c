//! How somebody's presence is said: a standing as shape, word and colour, what it listens to, what it announced, and how long ago. Ages are
//! whole minutes, so that a page that asks again has nothing new to show most of the time.

use leptos::prelude::*;
use loggia_domain::presence::{Agent, Announcement, Listener, Standing, Watch, Way, ms_of};

use crate::language::t;
use crate::parts::revealed;
use crate::words::{counted, duration, grouped};

/// A standing: shape, word and colour; the shapes are in the stylesheet.
pub(in crate::pages) fn standing(agent: &Agent, now_ms: u64) -> AnyView {
    let standing = agent.standing(now_ms);
    view! { <span class=format!("standing {}", standing.as_str())>{standing_word(standing)}</span> }.into_any()
}

/// A standing as a word of the page's language.
pub(in crate::pages) fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Listening => t!("listening"),
        Standing::Active => t!("active"),
        Standing::Idle => t!("idle"),
        Standing::Away => t!("away"),
    }
}

/// How long ago something was, in whole minutes; `None` for what never was.
pub(in crate::pages) fn since(at: Option<&str>, now_ms: u64) -> Option<String> {
    let ms = now_ms.saturating_sub(at.and_then(ms_of)?);
    Some(match ms / 60_000 {
        0 => t!("just now").to_owned(),
        minutes @ 1..60 => t!("{minutes} min ago", minutes = minutes),
        _ => t!("{age} ago", age = duration(ms)),
    })
}

/// One listener after the other: `stream of everything, at the tip; wait for type=task.request, 3 behind`.
pub(in crate::pages) fn listeners(listeners: &[Listener], now_ms: u64) -> AnyView {
    let one = |(at, listener): (usize, &Listener)| {
        let between = (at > 0).then_some(t!("; "));
        let (way, all) = match listener.way {
            Way::Stream => (t!("stream of "), t!("everything##heard")),
            Way::Wait => (t!("wait for "), t!("anything")),
        };
        let what = if listener.filter.is_empty() { all.into_any() } else { revealed(&listener.filter) };
        let title = t!("since {time}", time = since(Some(&listener.since), now_ms).unwrap_or_default());
        view! { {between}<span title=title>{way}{what}{t!(", ")}{lag(listener.behind)}</span> }.into_any()
    };
    listeners.iter().enumerate().map(one).collect_view().into_any()
}

/// How far a listener is.
pub(in crate::pages) fn lag(behind: u64) -> String {
    if behind == 0 { t!("at the tip").to_owned() } else { t!("{count} behind", count = grouped(behind)) }
}

/// What an agent announced, and when.
pub(in crate::pages) fn announced(said: &Announcement, now_ms: u64) -> AnyView {
    let ago = since(Some(&said.at), now_ms).unwrap_or_default();
    let what = match said.watch {
        Watch::Idle => t!("declared idle {ago}", ago = ago),
        Watch::Watching => t!("declared watching {ago}", ago = ago),
        Watch::Words => t!("announced {ago}", ago = ago),
    };
    let text = (!said.text.is_empty()).then(|| view! { {t!(": ")}"“"{revealed(&said.text)}"”" }.into_any());
    view! { {what}{text} }.into_any()
}

/// The one line that says where an agent is, for a narrow place.
pub(in crate::pages) fn in_short(agent: &Agent, now_ms: u64) -> String {
    let seen = since(agent.last_seen.as_deref(), now_ms);
    let declared = agent.announced.as_ref().and_then(|said| {
        let ago = since(Some(&said.at), now_ms).unwrap_or_default();
        match said.watch {
            Watch::Idle => Some(t!("declared idle {ago}", ago = ago)),
            Watch::Watching => Some(t!("declared watching {ago}", ago = ago)),
            Watch::Words => None,
        }
    });
    match agent.standing(now_ms) {
        Standing::Listening => {
            let of = |way| agent.listeners.iter().filter(|l| l.way == way).count() as u64;
            let ways = match (of(Way::Stream), of(Way::Wait)) {
                (0, 1) => waits_for(&agent.listeners),
                (0, waits) => counted(waits, t!("wait##n"), t!("waits##n")),
                (1, 0) => t!("stream").to_owned(),
                (streams, 0) => counted(streams, t!("stream##n"), t!("streams##n")),
                (streams, waits) => {
                    let streams = counted(streams, t!("stream##n"), t!("streams##n"));
                    format!("{streams}{}{}", t!(", "), counted(waits, t!("wait##n"), t!("waits##n")))
                }
            };
            t!("{ways}, {lag}", ways = ways, lag = lag(agent.behind()))
        }
        Standing::Idle => declared.unwrap_or_default(),
        Standing::Active => {
            let seen = t!("seen {time}", time = seen.unwrap_or_default());
            declared.map_or_else(|| seen.clone(), |declared| t!("{seen}, {declared}", seen = seen, declared = declared))
        }
        Standing::Away => match (seen, agent.is_missed(now_ms)) {
            (Some(seen), true) => t!("nobody home, seen {time}", time = seen),
            (Some(seen), false) => t!("seen {time}", time = seen),
            (None, _) => t!("never seen").to_owned(),
        },
    }
}

/// `waits for task.request` of a single wait with one type, `waits` of any other.
fn waits_for(listeners: &[Listener]) -> String {
    let filter = listeners.first().map_or("", |l| l.filter.as_str());
    let mut types = filter.split(' ').filter_map(|pair| pair.strip_prefix("type="));
    match (types.next(), types.next()) {
        (Some(one), None) => t!("waits for {one}", one = one),
        _ => t!("waits##does").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-30T14:00:00Z";

    fn listener(way: Way, filter: &str, behind: u64) -> Listener {
        Listener { way, filter: filter.to_owned(), behind, since: NOW.to_owned() }
    }

    #[test]
    fn where_somebody_is_fits_into_one_line() {
        let now_ms = ms_of(NOW).expect("a time");
        let seen = |at: &str| Agent { last_seen: Some(at.to_owned()), ..Agent::default() };
        let idle = Announcement {
            watch: Watch::Idle,
            text: String::new(),
            at: "2026-11-30T13:21:00Z".to_owned(),
            event_id: String::new(),
        };
        let of = |listeners| Agent { listeners, ..Agent::default() };
        for (agent, words) in [
            (of(vec![listener(Way::Stream, "", 0)]), "stream, at the tip"),
            (of(vec![listener(Way::Wait, "type=task.request to_agent=a", 3)]), "waits for task.request, 3 behind"),
            (of(vec![listener(Way::Wait, "to_agent=a", 0)]), "waits, at the tip"),
            (
                of(vec![listener(Way::Wait, "", 0), listener(Way::Stream, "", 1200)]),
                "1\u{a0}stream, 1\u{a0}wait, 1\u{202f}200 behind",
            ),
            (Agent { announced: Some(idle.clone()), ..seen("2026-11-30T13:21:00Z") }, "declared idle 39 min ago"),
            (seen("2026-11-30T13:57:10Z"), "seen 2 min ago"),
            (Agent { open_to: 1, ..seen("2026-11-30T12:05:00Z") }, "nobody home, seen 1 h 55 min ago"),
            (Agent::default(), "never seen"),
        ] {
            assert_eq!(in_short(&agent, now_ms), words);
        }
    }

    #[test]
    fn what_was_announced_is_text() {
        let said = Announcement {
            watch: Watch::Words,
            text: "<b>back</b> soon\u{202e}".to_owned(),
            at: NOW.to_owned(),
            event_id: String::new(),
        };
        let html = announced(&said, ms_of(NOW).expect("a time")).to_html();
        assert!(html.contains("&lt;b&gt;back") && html.contains("U+202E") && html.contains("just now"), "{html}");
    }
}
