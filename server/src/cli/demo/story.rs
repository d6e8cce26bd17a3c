//! The words in which the demonstration is told: who takes part, what follows what, and the kinds of steps. Pure: it makes drafts
//! and writes nothing.
//!
//! # Design
//! Times are counted backwards from the end of the story, since the story always ends now. Within a thread every step says how
//! long after the step before it comes. Ids do not exist yet, so a step names the step that it answers by its place in the thread.

use std::time::Duration;

use loggia_domain::{ArtifactDraft, ArtifactKind, EventDraft, Status};
use serde_json::Value;

pub(super) const MAC: &str = "mac:claude";
pub(super) const WIN: &str = "win:codex";
pub(super) const LAB: &str = "lab:cursor";
pub(super) const CI: &str = "ci:runner";
pub(super) const MAINTAINER: &str = "maintainer";
pub(super) const EVERYBODY: &str = "*";

pub(super) const ATLAS: &str = "demo/atlas";
pub(super) const LOGGIA: &str = "demo/loggia";
pub(super) const SHARED: &str = "demo/shared";

pub(super) const PATCHES: &str = "patches";
pub(super) const REVIEWS: &str = "reviews";
pub(super) const STATUS: &str = "status";
pub(super) const QUESTIONS: &str = "questions";
pub(super) const DELEGATION: &str = "delegation";

/// So long before the end of the story.
pub(super) const fn ago(hours: u64, minutes: u64, seconds: u64) -> Duration {
    Duration::from_secs(hours * 3600 + minutes * 60 + seconds)
}

/// So long after the step before.
pub(super) const fn after(minutes: u64, seconds: u64) -> Duration {
    ago(0, minutes, seconds)
}

/// A request for work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask {
    pub(super) stream: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) goal: &'static str,
    pub(super) done: &'static str,
    pub(super) branch: &'static str,
    pub(super) base: &'static str,
}

impl Ask {
    /// Begins a delegation with this request.
    pub(super) fn made(self, ago: Duration) -> Thread {
        Thread { stream: self.stream, ask: Some(self), beats: vec![Beat::new(ago, What::Request(self))] }
    }
}

/// Begins a thread that is no delegation.
pub(super) fn said(
    ago: Duration,
    (stream, room): (&'static str, &str),
    event_type: &str,
    (from, to): (&str, &str),
    body: &str,
) -> Thread {
    Thread { stream, ask: None, beats: Vec::new() }
        .push(ago, What::Event(draft((stream, room), event_type, (from, to), body)))
}

/// Steps that belong together, in their order.
pub(super) struct Thread {
    pub(super) beats: Vec<Beat>,
    stream: &'static str,
    ask: Option<Ask>,
}

/// One step: an event, perhaps with an artifact.
pub(super) struct Beat {
    /// How long before the end of the story.
    pub(super) ago: Duration,
    pub(super) what: What,
    /// Stored together with the event, which then references it.
    pub(super) artifact: Option<ArtifactDraft>,
    /// The step whose artifacts this one references too.
    pub(super) cites: Option<usize>,
    pub(super) mark: Mark,
}

/// What a step writes.
pub(super) enum What {
    /// A `task.request`, which gives the thread its correlation id.
    Request(Ask),
    /// Any other event; the teller adds the correlation id.
    Event(EventDraft),
    /// Acknowledges a step of the thread; the teller adds what follows from that step.
    Answer(usize, EventDraft),
}

/// What a step carries as metadata.
pub(super) enum Mark {
    Nothing,
    /// The task is void from this moment on, so long before the end of the story.
    Expires(Duration),
    /// The author listens: the filter, beside the newest event as its cursor.
    Watching(Value),
    /// The author no longer listens.
    Idle,
    Plain(Value),
}

impl Beat {
    fn new(ago: Duration, what: What) -> Self {
        Self { ago, what, artifact: None, cites: None, mark: Mark::Nothing }
    }

    fn author(&self) -> Option<&str> {
        match &self.what {
            What::Request(ask) => Some(ask.from),
            What::Event(draft) | What::Answer(_, draft) => match &draft.from_agent {
                loggia_domain::Raw::Text(author) => Some(author),
                _ => None,
            },
        }
    }
}

impl Thread {
    /// Takes the task on.
    pub(super) fn claim(self, after: Duration, who: &str, body: &str) -> Self {
        self.acknowledge(after, 0, who, Some(Status::Claimed), body)
    }

    /// Answers the newest step of somebody else with a status.
    pub(super) fn answer(self, after: Duration, who: &str, status: Status, body: &str) -> Self {
        let target = self.newest_by_another(who);
        self.acknowledge(after, target, who, Some(status), body)
    }

    /// Acknowledges what the thread began with, without a status.
    pub(super) fn seen(self, after: Duration, who: &str, body: &str) -> Self {
        self.acknowledge(after, 0, who, None, body)
    }

    /// Acknowledges the newest step of somebody else, without a status.
    pub(super) fn nod(self, after: Duration, who: &str, body: &str) -> Self {
        let target = self.newest_by_another(who);
        self.acknowledge(after, target, who, None, body)
    }

    /// Takes the newest patch over.
    pub(super) fn apply(self, after: Duration, who: &str, body: &str) -> Self {
        let target = self.newest_patch().unwrap_or(0);
        self.acknowledge(after, target, who, Some(Status::Applied), body)
    }

    /// Hands a patch in, to the requester.
    pub(super) fn patch(self, after: Duration, who: &str, diff: impl Into<String>, body: &str) -> Self {
        let mut event = draft((self.stream, PATCHES), "patch.ready", (who, ""), body);
        event.status = Status::Ready.as_str().into();
        if let Some(ask) = self.ask {
            event.to_agent = ask.from.into();
            event.branch = ask.branch.into();
            event.base_commit = ask.base.into();
        }
        self.then(after, What::Event(event)).attach(ArtifactKind::Patch, diff)
    }

    /// Says something about the newest patch.
    pub(super) fn review(self, after: Duration, from: &str, to: &str, body: &str) -> Self {
        self.about_patch(after, "review.comment", (from, to), body)
    }

    /// What the tests said about the newest patch.
    pub(super) fn tested(self, after: Duration, to: &str, log: &str, body: &str) -> Self {
        self.about_patch(after, "test.report", (CI, to), body).attach(ArtifactKind::Log, log)
    }

    /// Progress, or an answer in words.
    pub(super) fn reply(self, after: Duration, from: &str, to: &str, body: &str) -> Self {
        let event = draft((self.stream, DELEGATION), "task.reply", (from, to), body);
        self.then(after, What::Event(event))
    }

    /// The same with the end that it reports.
    pub(super) fn fail(self, after: Duration, from: &str, to: &str, log: &str, body: &str) -> Self {
        let mut event = draft((self.stream, DELEGATION), "task.reply", (from, to), body);
        event.status = Status::Failed.as_str().into();
        self.then(after, What::Event(event)).attach(ArtifactKind::Log, log)
    }

    /// A question.
    pub(super) fn ask(self, after: Duration, from: &str, to: &str, body: &str) -> Self {
        let event = draft((self.stream, QUESTIONS), "task.question", (from, to), body);
        self.then(after, What::Event(event))
    }

    /// A line of talk.
    pub(super) fn says(self, after: Duration, room: &str, from: &str, to: &str, body: &str) -> Self {
        let event = draft((self.stream, room), "room.message", (from, to), body);
        self.then(after, What::Event(event))
    }

    /// Stores an artifact with the newest step.
    pub(super) fn attach(self, kind: ArtifactKind, content: impl Into<String>) -> Self {
        self.amend(|beat| {
            let created_by = beat.author().unwrap_or(MAINTAINER).into();
            let content = content.into().into();
            beat.artifact =
                Some(ArtifactDraft { kind: kind.as_str().into(), content, created_by, ..ArtifactDraft::default() });
        })
    }

    /// Gives the newest step its metadata.
    pub(super) fn mark(self, mark: Mark) -> Self {
        self.amend(|beat| beat.mark = mark)
    }

    /// Gives the newest step its topic.
    pub(super) fn topic(self, topic: &str) -> Self {
        self.amend(|beat| {
            if let What::Event(draft) = &mut beat.what {
                draft.topic = topic.into();
            }
        })
    }

    fn about_patch(self, after: Duration, event_type: &str, who: (&str, &str), body: &str) -> Self {
        let event = draft((self.stream, REVIEWS), event_type, who, body);
        let patch = self.newest_patch();
        self.then(after, What::Event(event)).amend(|beat| beat.cites = patch)
    }

    fn acknowledge(self, after: Duration, target: usize, who: &str, status: Option<Status>, body: &str) -> Self {
        let status = status.map(|s| s.as_str().to_owned()).into();
        let answer = EventDraft { from_agent: who.into(), status, body: body.into(), ..EventDraft::default() };
        self.then(after, What::Answer(target, answer))
    }

    fn then(self, after: Duration, what: What) -> Self {
        let before = self.beats.last().map_or(Duration::ZERO, |b| b.ago);
        // A story that ran past its end would have two steps at its last moment, which a test looks for.
        self.push(before.saturating_sub(after), what)
    }

    fn push(mut self, ago: Duration, what: What) -> Self {
        self.beats.push(Beat::new(ago, what));
        self
    }

    fn amend(mut self, change: impl FnOnce(&mut Beat)) -> Self {
        if let Some(newest) = self.beats.last_mut() {
            change(newest);
        }
        self
    }

    fn newest_by_another(&self, who: &str) -> usize {
        self.beats.iter().rposition(|b| b.author() != Some(who)).unwrap_or(0)
    }

    fn newest_patch(&self) -> Option<usize> {
        let is_patch = |b: &Beat| matches!(&b.what, What::Event(d) if d.event_type == "patch.ready".into());
        self.beats.iter().rposition(is_patch)
    }
}

fn draft((stream, room): (&str, &str), event_type: &str, (from, to): (&str, &str), body: &str) -> EventDraft {
    EventDraft {
        event_type: event_type.into(),
        stream: stream.into(),
        room: room.into(),
        from_agent: from.into(),
        to_agent: to.into(),
        body: body.into(),
        ..EventDraft::default()
    }
}
