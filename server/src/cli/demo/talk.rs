//! What is said beside the delegations: plans, who listens, summaries of builds, questions and answers, and a type of event that no
//! version of Loggia knows.

use std::time::Duration;

use loggia_domain::ArtifactKind;
use serde_json::json;

use super::logs;
use super::story::{
    ATLAS, CI, DELEGATION, EVERYBODY, LAB, LOGGIA, MAC, MAINTAINER, Mark, QUESTIONS, REVIEWS, SHARED, STATUS, Thread,
    WIN, after, ago, said,
};

pub(super) fn threads() -> Vec<Thread> {
    [listening(), plans(), builds(), questions(), small_talk()].into_iter().flatten().collect()
}

/// A status announcement: for everybody, in the room for it.
fn status(at: Duration, from: &str, body: &str) -> Thread {
    said(at, (SHARED, STATUS), "status", (from, EVERYBODY), body)
}

/// A message for everybody.
fn broadcast(at: Duration, stream: &'static str, from: &str, body: &str) -> Thread {
    said(at, (stream, STATUS), "room.message", (from, EVERYBODY), body)
}

/// Who listens for what, and who does not any more.
fn listening() -> Vec<Thread> {
    let for_me = |agent: &str| {
        Mark::Watching(json!({"to_agent": agent, "type": ["task.request", "task.question", "patch.ready"]}))
    };
    vec![
        status(ago(9, 0, 12), MAC, "Watching for requests, questions and patches addressed to me.").mark(for_me(MAC)),
        status(ago(8, 59, 3), WIN, "Watching. Windows machine, long paths are on.").mark(for_me(WIN)),
        status(ago(8, 58, 21), LAB, "Watching. Eight cores, full gazetteer on disk.").mark(for_me(LAB)),
        status(ago(8, 57, 0), CI, "runner 1 and runner 2 up")
            .mark(Mark::Watching(json!({"to_agent": CI, "type": "task.request"}))),
        status(ago(6, 48, 40), CI, "runner 2 down for a disk check, runner 1 goes on").mark(Mark::Idle),
        status(ago(6, 22, 15), CI, "runner 2 back, disk is fine")
            .mark(Mark::Watching(json!({"to_agent": CI, "type": "task.request"}))),
        status(ago(5, 33, 10), MAINTAINER, "Away for about an hour. Decisions wait, everything else goes on."),
        status(ago(4, 53, 44), MAINTAINER, "Back."),
        status(ago(3, 8, 2), WIN, "Nothing open on my side; idle until the next request.").mark(Mark::Idle),
        status(ago(1, 30, 20), WIN, "Watching again.").mark(for_me(WIN)),
        status(ago(0, 41, 5), LAB, "Going idle: the machine is needed for a measurement. Back when it is free.")
            .mark(Mark::Idle),
        status(ago(0, 2, 48), MAC, "Still watching; the settings page is my only open work.").mark(for_me(MAC)),
    ]
}

/// What the day shall bring, and what everybody has to know.
fn plans() -> Vec<Thread> {
    vec![
        broadcast(
            ago(9, 1, 30),
            SHARED,
            MAINTAINER,
            "Plan for today, in this order:\n\n1. atlas: search with accents, importer, paging\n2. loggia: heartbeat, \
             copies between hubs\n3. shared: a faster pipeline, one formatter version\n\nAsk in `questions`, I read \
             it every half hour.",
        )
        .topic("plan")
        .seen(after(1, 40), MAC, "Seen. I split 1 into delegations.")
        .seen(after(0, 55), LAB, "Seen."),
        broadcast(
            ago(7, 58, 30),
            ATLAS,
            WIN,
            "The search index is being built again because of the accents. Searches may miss new places for four \
             minutes.",
        )
        .topic("index"),
        broadcast(ago(7, 53, 50), ATLAS, WIN, "The index is complete again: 190 412 places.").topic("index"),
        broadcast(ago(6, 41, 20), SHARED, CI, "Dependencies are now kept between runs. A warm run takes about 50 s.")
            .topic("pipeline"),
        broadcast(
            ago(3, 13, 5),
            SHARED,
            MAINTAINER,
            "From now on tools/format.sh wants the versions in tools/versions.txt. \
             各位请先运行一次 tools/install.sh。",
        )
        .topic("formatter")
        .seen(after(2, 12), LAB, "Done here.")
        .seen(after(1, 47), MAC, "Done here too."),
        broadcast(ago(0, 31, 40), SHARED, MAINTAINER, "I shall look at the waiting patches within the hour.")
            .topic("plan"),
    ]
}

/// What the runners report by themselves. `build.summary` and `disk.usage` are nobody's standard: they are shown all the same.
fn builds() -> Vec<Thread> {
    let report = |at, event_type, body| said(at, (SHARED, STATUS), event_type, (CI, EVERYBODY), body);
    vec![
        report(ago(8, 55, 0), "build.summary", "build 1187 passed in 540 s")
            .attach(ArtifactKind::Json, logs::BUILD_SUMMARY),
        report(ago(6, 58, 0), "disk.usage", "runner 1: 61 %, runner 2: 93 %")
            .mark(Mark::Plain(json!({"percent": {"runner 1": 61, "runner 2": 93}, "limit": 90}))),
        report(ago(6, 20, 30), "disk.usage", "runner 1: 62 %, runner 2: 38 %")
            .mark(Mark::Plain(json!({"percent": {"runner 1": 62, "runner 2": 38}, "limit": 90}))),
        report(ago(4, 44, 0), "build.summary", "build 1188 passed in 312 s")
            .mark(Mark::Plain(json!({"build": 1188, "result": "passed", "seconds": 312.0}))),
        report(ago(2, 50, 15), "build.summary", "build 1189 passed in 298 s")
            .mark(Mark::Plain(json!({"build": 1189, "result": "passed", "seconds": 298.4}))),
        report(ago(0, 0, 22), "build.summary", "build 1190 passed in 301 s")
            .mark(Mark::Plain(json!({"build": 1190, "result": "passed", "seconds": 301.1}))),
    ]
}

/// Questions that belong to no delegation.
fn questions() -> Vec<Thread> {
    let line = |at, stream, who, body| said(at, (stream, QUESTIONS), "room.message", who, body);
    vec![
        line(
            ago(8, 46, 50),
            ATLAS,
            (WIN, MAC),
            "Shall \"ß\" be found as \"ss\"? Case folding does that, plain lower case does not.",
        )
        .says(after(1, 35), QUESTIONS, MAC, WIN, "Yes. People without that key type \"ss\"."),
        line(
            ago(7, 12, 10),
            LOGGIA,
            (LAB, MAINTAINER),
            "Does the badge also count the time during which the browser tab was hidden?",
        )
        .says(
            after(9, 20),
            QUESTIONS,
            MAINTAINER,
            LAB,
            "No. A hidden tab closes its stream on purpose, so there is nothing to be late with.",
        )
        .says(after(1, 8), QUESTIONS, LAB, MAINTAINER, "Good, then my test was wrong and not the badge."),
        line(ago(4, 22, 0), LOGGIA, (LAB, WIN), "For the copy check: is 10 s a hard limit, or what you hoped for?")
            .says(
                after(6, 2),
                QUESTIONS,
                WIN,
                LAB,
                "Hoped for, with the Windows machine in mind. Please report what you measure, whatever it is.",
            ),
        line(
            ago(3, 36, 15),
            LOGGIA,
            (WIN, MAINTAINER),
            "The copy check needs a decision: a higher limit, or a queue behind the copy. I lean towards the queue.",
        )
        .topic("copies")
        .says(
            after(28, 10),
            QUESTIONS,
            MAINTAINER,
            WIN,
            "The queue, but an artifact must not be shown as verified before its turn. I write it down properly and \
             ask again.",
        ),
        line(ago(2, 1, 30), ATLAS, (LAB, MAINTAINER), "词典文件里有三处地名没有中文译名，先保留原文可以吗？").says(
            after(3, 44),
            QUESTIONS,
            MAINTAINER,
            LAB,
            "可以，先保留原文，并在文件末尾列出来。",
        ),
        line(
            ago(0, 56, 20),
            SHARED,
            (MAC, MAINTAINER),
            "The signing key waits for you. Nine days are left, so today would be good but is not urgent.",
        ),
    ]
}

/// What colleagues tell one another.
fn small_talk() -> Vec<Thread> {
    let line = |at, place, who, body| said(at, place, "room.message", who, body);
    vec![
        line(
            ago(8, 33, 40),
            (ATLAS, DELEGATION),
            (LAB, MAC),
            "I am free until the importer question is settled; send me something small.",
        )
        .says(
            after(0, 50),
            DELEGATION,
            MAC,
            LAB,
            "The importer is yours in an hour. Until then: could you load the full gazetteer on your machine?",
        )
        .says(
            after(22, 30),
            DELEGATION,
            LAB,
            MAC,
            "Loaded, 190 412 places. The first search after the start took ten seconds, by the way.",
        ),
        said(
            ago(4, 56, 0),
            (ATLAS, STATUS),
            "note.shared",
            (MAC, EVERYBODY),
            "A note on importer and tiles, for whoever goes on with them.",
        )
        .attach(ArtifactKind::Note, logs::HANDOVER_NOTE),
        line(
            ago(4, 49, 10),
            (ATLAS, REVIEWS),
            (MAINTAINER, WIN),
            "Two patches that can be read alone: that made it easy. Please keep doing this.",
        )
        .nod(after(2, 20), WIN, "Will do."),
        line(
            ago(3, 47, 20),
            (ATLAS, REVIEWS),
            (LAB, WIN),
            "Your lazy tiles on the lab machine: sheet 7 opens in 190 ms. My pool would have needed 25 minutes.",
        ),
        line(
            ago(1, 51, 0),
            (ATLAS, DELEGATION),
            (LAB, MAINTAINER),
            "This is the configuration that shows the slow first query, if you want to see it yourself.",
        )
        .topic("first query")
        .attach(ArtifactKind::File, logs::SAMPLE_CONFIG),
        line(
            ago(0, 18, 30),
            (ATLAS, DELEGATION),
            (MAINTAINER, LAB),
            "Thanks for the figures on the first query. How far are you? The last news is from a while ago.",
        )
        .topic("first query"),
        line(
            ago(0, 8, 5),
            (LOGGIA, REVIEWS),
            (MAINTAINER, MAC),
            "The heartbeat badge has been up all day and I have not noticed it once. That is praise 👍",
        ),
    ]
}
