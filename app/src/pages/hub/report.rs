//! The state of a hub as a text to pass on. It has no address, no error text, no name of an agent or a token and nothing that anybody wrote;
//! it is the same for every viewer, and English, since whoever is asked for help may be anybody.

use leptos::prelude::*;

use super::lasting;
use crate::backend::hub::{Alarm, HubPage, Peer};
use crate::language::{Language, speaking, t};

/// The panel.
pub(super) fn panel(page: &HubPage) -> AnyView {
    let text = speaking(Language::English, || text(page));
    view! {
        <section class="panel padded report" aria-label=t!("Report")>
            <h2>{t!("Report")}</h2>
            <p class="muted">{t!("The same as a text, for whoever helps you. There is no secret in it, no address, and nothing that an agent wrote.")}</p>
            <details>
                <summary>{t!("Show the report")}</summary>
                <pre class="body" id="hub-report" tabindex="0">{text}</pre>
            </details>
            <p>
                <button type="button" class="button small needs-script" aria-live="polite" data-copy="" data-shown="hub-report">
                    {t!("Copy the report")}
                </button>
            </p>
        </section>
    }
    .into_any()
}

fn text(page: &HubPage) -> String {
    let (h, estate) = (&page.health, &page.estate);
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!("loggia {}, up {}, started {}", h.version, lasting(h.uptime_s), h.started_at));
    line(format!("replica {}, palace schema {}, {} tools", estate.replica_id, h.palace_schema, h.tools));
    for alarm in &page.alarms {
        line(format!("alarm: {}", word(alarm)));
    }
    line(format!("log: {} events, newest seq {}, counts behind by {}", h.events, h.newest_seq, h.counts_lag));
    line(format!(
        "writer: {} of {} waiting, {} writes ({} refused), {} transactions ({} failed), last commit {} ms",
        h.writer_waiting,
        h.writer_queue,
        h.writes,
        h.writes_refused,
        h.transactions,
        h.transactions_failed,
        h.last_commit_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"))
    ));
    line(format!("streams: {} of {} ({} pages), waits {}", h.streams, h.streams_max, h.pages, h.waits));
    line(format!(
        "connections: {} of {}, refused {}, cut {}, slow {}",
        h.connections, h.connections_max, h.connections_refused, h.connections_cut, h.connections_slow
    ));
    line(format!(
        "requests: {} ({} refused, {} failed), tool calls {} ({} not done)",
        h.requests, h.requests_refused, h.requests_failed, h.tool_calls.0, h.tool_calls.1
    ));
    line(match &h.model {
        None => "palace: off".to_owned(),
        Some(model) => format!(
            "palace: on, meaning {}, vectors {}, waiting {}",
            if model.is_on { "on" } else { "off" },
            model.vectors,
            model.waiting
        ),
    });
    line(match h.pipeline {
        None => "pipeline: off".to_owned(),
        Some(p) => format!(
            "pipeline: {}, published {}, waiting {}, dropped {}",
            if p.is_failing { "failing" } else { "publishing" },
            p.published,
            p.waiting,
            p.dropped
        ),
    });
    line(format!("disk: {} free", h.disk_free_bytes.map_or_else(|| "unknown".to_owned(), |n| format!("{n} bytes"))));
    for (name, bytes) in &h.files {
        line(format!("  {name} {bytes} bytes"));
    }
    line(format!("sync: every {} s, {} peers", estate.interval_s, estate.peers.len()));
    for (number, peer) in (1..).zip(&estate.peers) {
        line(of_peer(number, peer));
        for block in &peer.blocks {
            line(format!("    blocked {} since {}", block.origin, block.since));
        }
    }
    for (origin, n) in &estate.vector {
        line(format!("  vector {origin} {n}"));
    }
    for limit in page.limits.iter().filter(|limit| limit.name.contains('_')) {
        let value = limit.value.map_or_else(|| "none".to_owned(), |n| format!("{n} {}", unit(limit.unit)));
        line(format!("limit {} {}", limit.name, value.trim_end()));
    }
    out
}

/// A peer by its number and id: its name may be anybody's text.
fn of_peer(number: usize, peer: &Peer) -> String {
    let state = super::standing(peer).1;
    let id = peer.replica_id.as_deref().unwrap_or("unknown");
    let contact = peer.last_contact_at.as_deref().unwrap_or("never");
    let (behind, ahead) = peer.drift.iter().fold((0_u64, 0_u64), |(behind, ahead), d| {
        let apart = d.there.abs_diff(d.here);
        if d.there > d.here { (behind.saturating_add(apart), ahead) } else { (behind, ahead.saturating_add(apart)) }
    });
    let clock = peer.clock_difference_ms.map_or_else(|| "unknown".to_owned(), |ms| format!("{ms} ms"));
    format!(
        "  peer {number} {id}: {state}, last contact {contact}, failed rounds {}, not here {behind}, not there {ahead}, clock {clock}",
        peer.failures
    )
}

fn word(alarm: &Alarm) -> String {
    match alarm {
        Alarm::Restored(r) => format!("restored from a backup, {:?}, ours {}, theirs {}", r.repair, r.ours, r.theirs),
        Alarm::Blocked { authors, .. } => format!("{authors} authors blocked"),
        Alarm::DiskFull(n) => format!("disk full, {n} bytes free"),
        Alarm::DiskLow(n) => format!("disk low, {n} bytes free"),
        Alarm::WritesFailed(n) => format!("{n} transactions failed"),
        Alarm::WalLarge(n) => format!("wal large, {n} bytes"),
        Alarm::PalaceOff(_) => "palace off".to_owned(),
        Alarm::SessionsOff => "session memory off".to_owned(),
        Alarm::PipelineFails { dropped, .. } => format!("pipeline failing, {dropped} dropped"),
        Alarm::Unreached(peers) => format!("{} peers not reached", peers.len()),
        Alarm::PeersFile(n, _) => format!("{n} faults in peers.json"),
        Alarm::StreamsTaken(n) => format!("all {n} streams taken"),
        Alarm::NoAuth => "no tokens asked (--no-auth)".to_owned(),
        Alarm::ReadOnly => "read-only".to_owned(),
        Alarm::Demo => "demo data".to_owned(),
    }
}

fn unit(unit: crate::backend::hub::Unit) -> &'static str {
    use crate::backend::hub::Unit;
    match unit {
        Unit::Count => "",
        Unit::Bytes => "bytes",
        Unit::Milliseconds => "ms",
        Unit::PerSecond => "per second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::hub::{Block, Estate};

    #[test]
    fn a_report_has_neither_addresses_nor_texts() {
        let peer = Peer {
            name: "PRIVATE-name".to_owned(),
            url: Some("https://PRIVATE.example".to_owned()),
            program: Some("PRIVATE-program".to_owned()),
            last_error: Some("PRIVATE error".to_owned()),
            last_error_at: Some("2026-11-30T14:00:00Z".to_owned()),
            blocks: vec![Block { origin: "rep_1".to_owned(), reason: "PRIVATE reason".to_owned(), ..Block::default() }],
            ..Peer::default()
        };
        let alarms = vec![
            Alarm::PalaceOff(Some("PRIVATE".to_owned())),
            Alarm::Blocked { authors: 1, peers: vec!["PRIVATE".to_owned()] },
            Alarm::PipelineFails { error: Some("PRIVATE".to_owned()), dropped: 1 },
            Alarm::Unreached(vec!["PRIVATE".to_owned()]),
            Alarm::PeersFile(1, vec!["PRIVATE".to_owned()]),
        ];
        let estate = Estate { name: "PRIVATE-host".to_owned(), peers: vec![peer], ..Estate::default() };
        let text = text(&HubPage { is_admin: true, alarms, estate, ..HubPage::default() });
        assert!(!text.contains("PRIVATE"), "{text}");
        assert!(text.contains("blocked rep_1") && text.contains("peer 1 unknown: failing"), "{text}");
    }
}
