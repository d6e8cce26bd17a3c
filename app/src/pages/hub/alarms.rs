//! What is wrong with a hub and what to do about it, in words; on its own page all of it, on every page what concerns everybody.

use leptos::prelude::*;

use crate::backend::hub::{Alarm, Repair, Restored};
use crate::language::t;
use crate::parts::{revealed, written_time};
use crate::words::{grouped, grouped_seq, size};

/// How much something is wrong: which of the statuses lends its colour and shape, and the word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Act,
    Look,
    Know,
}

/// An alarm in words: what is so, and what to do.
struct Said {
    weight: Weight,
    what: String,
    more: Option<AnyView>,
    to_do: String,
}

/// All alarms, the gravest first, or that there are none.
pub(super) fn panel(alarms: &[Alarm]) -> AnyView {
    let mut alarms: Vec<Said> = alarms.iter().map(said).collect();
    alarms.sort_by_key(|said| said.weight);
    let body = if alarms.is_empty() {
        let well = t!("Nothing needs you here.##hub");
        view! { <p><span class="status applied">{t!("well##hub")}</span>" "{well}</p> }.into_any()
    } else {
        let items = alarms.into_iter().map(item).collect_view();
        view! { <ul class="alarm-list">{items}</ul> }.into_any()
    };
    view! { <section class="panel padded alarms" aria-label=t!("Alarms##hub")><h2>{t!("Alarms##hub")}</h2>{body}</section> }
        .into_any()
}

fn item(Said { weight, what, more, to_do }: Said) -> AnyView {
    view! { <li>{mark(weight)}<div><b>{revealed(&what)}</b>{more}<p class="muted">{code(&to_do)}</p></div></li> }
        .into_any()
}

fn mark(weight: Weight) -> AnyView {
    super::badge(match weight {
        Weight::Act => ("failed", t!("act##hub")),
        Weight::Look => ("blocked", t!("look##hub")),
        Weight::Know => ("open", t!("know##hub")),
    })
}

/// What every page says of the hub: markup for above it, empty where there is nothing to say.
pub(crate) fn notices(alarms: &[Alarm]) -> String {
    let line = |alarm: &Alarm| {
        let Said { weight, what, .. } = said(alarm);
        view! {
            <p class="banner hub-banner" role="note">
                {mark(weight)}" "<b>{revealed(&what)}</b>" "<a href="/hub">{t!("What to do##hub")}</a>
            </p>
        }
        .into_any()
        .to_html()
    };
    alarms.iter().map(line).collect()
}

/// A sentence whose words in backticks are set as code.
pub(super) fn code(text: &str) -> Vec<AnyView> {
    let part = |(at, part): (usize, &str)| {
        if at % 2 == 1 { view! { <code>{part.to_owned()}</code> }.into_any() } else { revealed(part) }
    };
    text.split('`').enumerate().map(part).collect()
}

fn said(alarm: &Alarm) -> Said {
    let (weight, what, to_do) = match alarm {
        Alarm::Restored(restored) => return restored_hub(restored),
        Alarm::Blocked { authors, peers } => (
            Weight::Act,
            t!("Events do not come from {peers}; authors held back: {n}.", n = authors, peers = peers.join(t!(", "))),
            t!("The event and what is wrong with it stand below, beside its hub. It has to be mended there; this hub tries again by itself and goes on from where it stopped.").to_owned(),
        ),
        Alarm::DiskFull(free) => (
            Weight::Act,
            t!("The disk is full: {free} are free.", free = size(*free)),
            t!("Writes are refused or will be soon; reading goes on. Make room on the disk of the palace, and writing goes on by itself.").to_owned(),
        ),
        Alarm::DiskLow(free) => (
            Weight::Look,
            t!("The disk is nearly full: {free} are free.", free = size(*free)),
            t!("Make room on the disk of the palace before writes are refused. The sizes of its files stand below.").to_owned(),
        ),
        Alarm::WritesFailed(n) => (
            Weight::Look,
            t!("Transactions of the log that failed since the start: {n}.", n = grouped(*n)),
            t!("Nothing of them was written, and their senders were told. Either the disk was full or another program held the file; the hub's own log says which.").to_owned(),
        ),
        Alarm::WalLarge(bytes) => (
            Weight::Look,
            t!("The log's WAL is large: {bytes}.", bytes = size(*bytes)),
            t!("It cannot be written back while somebody reads an old state of the file: look for another program that keeps `logstream.sqlite3` open, a backup for example.").to_owned(),
        ),
        Alarm::PalaceOff(reason) => {
            let more = reason.as_deref().map(cause);
            let what = t!("Diaries, drawers and facts are off.").to_owned();
            let to_do = t!("Everything else goes on, and the hub tries again every five seconds. Another program may hold the file, or it is damaged: `loggia verify` tells.").to_owned();
            return Said { weight: Weight::Act, what, more, to_do };
        }
        Alarm::SessionsOff => (
            Weight::Act,
            t!("Session memory is off.").to_owned(),
            t!("Everything else goes on. The hub's own log says why; start it anew when that is mended.").to_owned(),
        ),
        Alarm::PipelineFails { error, dropped } => {
            let more = error.as_deref().map(cause);
            let what = t!("The output pipeline cannot publish; dropped so far: {n}.", n = grouped(*dropped));
            let to_do = t!("Session memory itself goes on, and what waits is published when Redis is back. See the page of the sessions, and `L0_PIPELINE_REDIS_URL`.").to_owned();
            return Said { weight: Weight::Act, what, more, to_do };
        }
        Alarm::Unreached(peers) => (
            Weight::Look,
            t!("Not reached for some time: {peers}.", peers = peers.join(t!(", "))),
            t!("Nothing is lost: what is missing comes when the hub is back. If it never will be, `loggia peers remove` ends the asking.").to_owned(),
        ),
        Alarm::PeersFile(n, faults) => {
            let more = (!faults.is_empty()).then(|| cause(&faults.join("; ")));
            let what = t!("Faults in `peers.json`: {n}.", n = n).replace('`', "");
            let to_do = t!("Entries without a fault are used. `loggia peers list` says what is wrong; `loggia peers add` writes an entry that is right.").to_owned();
            return Said { weight: Weight::Look, what, more, to_do };
        }
        Alarm::StreamsTaken(max) => (
            Weight::Act,
            t!("All {n} places for live streams are taken.", n = grouped(*max as u64)),
            t!("Further streams are refused; reading and waiting still work. Close some, or set `LOGGIA_MAX_STREAMS` higher.").to_owned(),
        ),
        Alarm::NoAuth => (
            Weight::Know,
            t!("The hub asks for no token.").to_owned(),
            t!("Everybody on this machine may read, write and manage. Start it without `--no-auth` to ask for tokens.").to_owned(),
        ),
        Alarm::ReadOnly => (
            Weight::Know,
            t!("The hub is read-only.").to_owned(),
            t!("Writes are refused, and nothing is pulled from other hubs. Start it without `--read-only` to write.").to_owned(),
        ),
        Alarm::Demo => (
            Weight::Know,
            t!("There is invented data in this log.").to_owned(),
            t!("Streams named `demo/…` are a made-up day of `loggia demo`. Events are never deleted: for real work begin with a new palace.").to_owned(),
        ),
    };
    Said { weight, what, more: None, to_do }
}

fn restored_hub(restored: &Restored) -> Said {
    let peer = restored.peer.as_str();
    let (weight, what, to_do) = match restored.repair {
        Repair::Going => (
            Weight::Act,
            t!("This hub was restored from an old backup, and its own events are being taken back from {peer}.", peer = peer),
            t!("Wait: nothing has to be done. Until it is repaired its own events are shown to no other hub.").to_owned(),
        ),
        Repair::Done => (
            Weight::Look,
            t!("This hub was restored from an old backup; it has taken its own events back from {peer}.", peer = peer),
            t!("Nothing has to be done for the log. Diaries, drawers and facts do not travel: what was written there after the backup is lost. When you have read this, `loggia peers acknowledge` takes the alarm away. Do two hubs run on copies of one palace? Then stop one and give it a new identity: `loggia peers new-identity`.").to_owned(),
        ),
        Repair::Incomplete => (
            Weight::Act,
            t!("This hub was restored from an old backup, and {peer} could not give back all of its events.", peer = peer),
            t!("No number is given out twice. If another hub has the rest, add it with `loggia peers add`. If a peer is wrong about this hub, or two hubs run on copies of one palace, stop the hub and give it a new identity: `loggia peers new-identity`. If the rest is gone for good, `loggia peers acknowledge` takes the alarm away.").to_owned(),
        ),
    };
    let figures = t!(
        "highest number here then {ours}, there {theirs}; taken back {back}, given a new number {renumbered}",
        ours = grouped_seq(restored.ours),
        theirs = grouped_seq(restored.theirs),
        back = grouped(restored.taken_back),
        renumbered = grouped(restored.renumbered),
    );
    let more = view! { <p class="faint">{written_time(&restored.at)}{t!(": ")}{figures}</p> }.into_any();
    Said { weight, what, more: Some(more), to_do }
}

fn cause(text: &str) -> AnyView {
    view! { <p><code>{revealed(text)}</code></p> }.into_any()
}
