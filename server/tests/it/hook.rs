//! `loggia hook`: real transcripts in, one JSON object out, an entry in the diary; and never a failed session, whatever is wrong.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, TOKEN};
use crate::outsider;
use crate::place::{Place, is_private};

/// A home in which somebody keeps a palace, and a project with a transcript.
struct Session {
    place: Arc<Place>,
    messages: usize,
}

impl Session {
    fn new() -> Self {
        let place = Place::new();
        fs::create_dir(place.palace()).expect("our own folder");
        Self { place, messages: 0 }
    }

    fn transcript(&self) -> PathBuf {
        self.place.home().join("session.jsonl")
    }

    /// Writes on the transcript, as Claude Code does: the person's messages, the agent's, a tool's result.
    fn says(&mut self, messages: usize) {
        let mut lines = fs::read_to_string(self.transcript()).unwrap_or_default();
        for _ in 0..messages {
            self.messages += 1;
            let text = format!("message {} about the é😀 pump", self.messages);
            for line in [
                json!({"type": "user", "cwd": "/srv/My Atlas", "message": {"role": "user", "content": text}}),
                json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "```\nok\n```"}]}}),
                json!({"type": "progress", "data": {"user": true}}),
            ] {
                lines += &(line.to_string() + "\n");
            }
        }
        fs::write(self.transcript(), lines).expect("our own folder");
    }

    fn event(&self) -> Value {
        json!({"session_id": "s-1", "transcript_path": self.transcript(), "hook_event_name": "any", "cwd": "/srv/other"})
    }

    /// Runs a hook on the session; what it says.
    #[track_caller]
    fn hook(&self, args: &[&str]) -> Value {
        answered(&self.place.cli(&[&["hook"], args].concat(), self.event().to_string().as_bytes()))
    }

    #[track_caller]
    fn diary(&self, agent: &str) -> Vec<Value> {
        let read = json_of(&self.place.cli(&["diary", "read", "--agent", agent, "--json"], b""));
        read["entries"].as_array().expect("a list").clone()
    }

    fn state(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.place.home().join(".mempalace/hook_state").join(name)).ok()
    }
}

/// What a hook says; it must end well and say one object.
#[track_caller]
fn answered(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    assert!(answer.is_object() && output.stderr.is_empty(), "{output:?}");
    answer
}

#[test]
fn the_end_of_a_session_is_saved_whatever_its_length() {
    let mut session = Session::new();
    session.says(2);
    assert_eq!(session.hook(&["session-start"]), json!({}));
    assert_eq!(session.hook(&["session-end"]), json!({}));
    let entries = session.diary("claude");
    assert_eq!(entries.len(), 1);
    let (entry, text) = (&entries[0], entries[0]["content"].as_str().expect("a text"));
    assert_eq!((&entry["topic"], &entry["wing"]), (&json!("checkpoint"), &json!("wing_my_atlas")));
    let date = entry["date"].as_str().expect("a text");
    let recent = "message 1 about the é😀 pump|message 2 about the é😀 pump";
    assert_eq!(text, format!("CHECKPOINT:{date}|session:s-1|msgs:2|recent:{recent}"));
    let log = session.state("hook.log").expect("it is written");
    assert!(log.lines().all(|line| line.starts_with('[') && line.as_bytes()[9] == b']'), "{log}");
    assert!(log.contains("session-end of session s-1: saved diary_wing_my_atlas_"), "{log}");
    let folder = session.place.home().join(".mempalace/hook_state");
    assert!(is_private(&folder) && is_private(&folder.join("hook.log")));
}

#[test]
fn a_stop_saves_every_fifteen_messages() {
    let mut session = Session::new();
    session.says(14);
    assert_eq!(session.hook(&["stop"]), json!({}));
    assert_eq!(session.diary("claude").len(), 0);
    session.says(1);
    let said = session.hook(&["stop"]);
    let message = said["systemMessage"].as_str().expect("a text");
    assert!(
        message.starts_with("loggia: saved a checkpoint of 15 messages in the diary of claude (diary_"),
        "{message}"
    );
    assert_eq!(session.state("s-1_last_save").as_deref(), Some("15"));
    assert_eq!(session.hook(&["stop"]), json!({}), "nothing is new");
    session.says(14);
    assert_eq!(session.hook(&["stop"]), json!({}));
    session.says(1);
    assert!(session.hook(&["stop"])["systemMessage"].is_string());
    let entries = session.diary("claude");
    assert_eq!(entries.len(), 2);
    let text = entries[0]["content"].as_str().expect("a text");
    assert!(text.contains("|msgs:30|recent:message 21 ") && text.ends_with("|message 30 about the é😀 pump"), "{text}");
    session.hook(&["session-end"]);
    assert_eq!(
        (session.diary("claude").len(), session.state("s-1_last_save")),
        (3, None),
        "the end forgets the session"
    );
}

#[test]
fn before_a_compaction_what_is_new_is_saved() {
    let mut session = Session::new();
    assert_eq!(session.hook(&["pre-compact"]), json!({}));
    session.says(3);
    assert_eq!(session.hook(&["pre-compact"]), json!({}));
    assert_eq!(session.hook(&["precompact"]), json!({}));
    assert_eq!(session.diary("claude").len(), 1, "the second time nothing was new");
    session.says(1);
    assert_eq!(session.hook(&["run", "--hook", "precompact", "--harness", "claude-code"]), json!({}));
    assert_eq!(session.diary("claude").len(), 2);
}

#[test]
fn an_agent_can_be_asked_to_write_itself() {
    let mut session = Session::new();
    let start = session.hook(&["session-start", "--remind", "--agent", "mac:claude:atlas"]);
    let output = &start["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    assert!(output["additionalContext"].as_str().is_some_and(|c| c.contains("\"mac:claude:atlas\"")), "{start}");
    session.says(15);
    let stop = session.hook(&["stop", "--remind"]);
    assert_eq!(stop["decision"], "block");
    let reason = stop["reason"].as_str().expect("a text");
    assert!(reason.contains("agent_name \"claude\"") && reason.contains("wing \"wing_my_atlas\""), "{reason}");
    assert_eq!(session.hook(&["stop", "--remind"]), json!({}), "once for each fifteen messages");
    assert_eq!(session.diary("claude").len(), 0);

    let mut active = session.event();
    session.says(15);
    active["stop_hook_active"] = json!("yes");
    let again = session.place.cli(&["hook", "stop", "--remind"], active.to_string().as_bytes());
    assert_eq!(answered(&again), json!({}), "an agent that is at it is not asked again");
}

#[test]
fn the_hubs_settings_decide_whether_a_stop_asks_or_saves() {
    let mut session = Session::new();
    session.says(15);
    let hub = Hub::builder().at(&session.place).start();
    let there = ["stop", "--url", &hub.origin(), "--token", TOKEN];
    hub.call("mempalace_hook_settings", json!({"silent_save": false}));
    assert_eq!(session.hook(&there)["decision"], "block");
    hub.call("mempalace_hook_settings", json!({"silent_save": true}));
    session.says(15);
    assert!(session.hook(&there)["systemMessage"].is_string());
    let note = hub.call("mempalace_memories_filed_away", json!({}));
    assert_eq!((&note["status"], &note["count"]), (&json!("ok"), &json!(30)));
    assert_eq!(hub.call("mempalace_diary_read", json!({"agent_name": "claude"}))["total"], 1);
}

#[test]
fn two_settings_that_are_made_at_once_are_both_kept() {
    let hub = Hub::start();
    let set = |settings: Value| hub.call("mempalace_hook_settings", settings)["settings"].clone();
    for _ in 0..20 {
        set(json!({"silent_save": true, "desktop_toast": false}));
        std::thread::scope(|scope| {
            for setting in [json!({"silent_save": false}), json!({"desktop_toast": true})] {
                scope.spawn(|| set(setting));
            }
        });
        assert_eq!(set(json!({})), json!({"silent_save": false, "desktop_toast": true}));
    }
}

#[test]
fn an_entry_that_is_given_is_saved_exactly() {
    let session = Session::new();
    let file = session.place.home().join("entry.md");
    for (chars, event) in [(5_000, "session-end"), (100_000, "pre-compact")] {
        let entry: String = "```sh\necho \"é😀\"\r\n```\n★ ".chars().cycle().take(chars - 1).chain(['!']).collect();
        fs::write(&file, &entry).expect("our own folder");
        let name = file.to_str().expect("made of ASCII");
        let args = [event, "--entry-file", name, "--agent", "Mac:Claude:x", "--topic", "handover"];
        assert_eq!(session.hook(&args), json!({}));
        let newest = &session.diary("mac:claude:x")[0];
        assert_eq!((&newest["content"], &newest["topic"]), (&json!(entry), &json!("handover")));
    }
    assert_eq!(session.hook(&["session-end", "--entry", "said"]), json!({}));
    assert_eq!(session.diary("claude")[0]["content"], "said");
}

#[test]
fn codex_is_understood() {
    let session = Session::new();
    let lines = [
        json!({"type": "session_meta", "payload": {"id": "x", "cwd": "/srv/code/gallery"}}),
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "hang the pictures"}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "twice"}]}}),
    ];
    let text: String = lines.map(|line| line.to_string() + "\n").concat();
    fs::write(session.transcript(), text).expect("our own folder");
    assert_eq!(session.hook(&["session-end", "--harness", "codex"]), json!({}));
    let entries = session.diary("codex");
    assert_eq!(entries[0]["wing"], "wing_gallery");
    assert!(
        entries[0]["content"].as_str().is_some_and(|c| c.ends_with("|msgs:1|recent:hang the pictures")),
        "{entries:?}"
    );
}

#[test]
fn nothing_that_is_wrong_fails_a_session() {
    let mut session = Session::new();
    session.says(20);
    let run = |args: &[&str], stdin: &[u8]| answered(&session.place.cli(&[&["hook"], args].concat(), stdin));
    for stdin in [&b""[..], b"{", b"[1]", b"null", b"\xff\xfe", br#"{"session_id": 5, "transcript_path": {}}"#] {
        assert_eq!(run(&["session-end"], stdin), json!({}));
        assert_eq!(run(&["stop"], stdin), json!({}));
    }
    for path in ["/no/such/file.jsonl", "/etc/passwd", "../x.jsonl", "~", "", "/proc/self/mem.jsonl"] {
        let stdin = json!({"session_id": "../../x", "transcript_path": path}).to_string();
        assert_eq!(run(&["session-end"], stdin.as_bytes()), json!({}));
    }
    let event = session.event().to_string();
    for args in [
        &["session-end", "--url", "http://127.0.0.1:1"][..],
        &["session-end", "--url", "nonsense"],
        &["session-end", "--token", "x"],
        &["session-end", "--entry-file", "no/such/file"],
        &["session-end", "--entry-file", "-"],
        &["session-end", "--entry", "a", "--entry-file", "b"],
        &["session-end", "--agent", "a\nb"],
        &["session-end", "--topic", ""],
        &["stop", "--url", "http://127.0.0.1:1"],
    ] {
        assert_eq!(run(args, event.as_bytes()), json!({}), "{args:?}");
    }
    assert_eq!(session.diary("claude").len(), 0, "none of these can be saved");
    let log = session.state("hook.log").expect("it is written");
    for said in [
        "stdin holds no JSON",
        "has a part `..`",
        "does not end in .jsonl",
        "does not answer",
        "no/such/file",
        "stdin holds the event",
    ] {
        assert!(log.contains(said), "{said}: {log}");
    }
    assert_eq!(session.state("s-1_last_save").as_deref(), Some("0"), "what was not saved comes again");
    let pipe = session.place.home().join("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let nobody_writes = json!({"session_id": "s-1", "transcript_path": pipe}).to_string();
    assert_eq!(run(&["session-end"], nobody_writes.as_bytes()), json!({}));
    assert!(session.state("hook.log").is_some_and(|log| log.contains("pipe.jsonl is not a regular file")));
    fs::write(session.place.palace().join("palace.sqlite3"), "no database, whatever its name may say").expect("ours");
    assert_eq!(run(&["stop"], event.as_bytes()), json!({}), "a damaged palace");

    let mut homeless = session.place.command();
    homeless.env_remove("HOME").env("HOME", "").args(["hook", "session-end"]);
    assert_eq!(answered(&homeless.output().expect("it was built")), json!({}));
}

#[test]
fn a_palace_that_is_held_holds_no_session_up_and_gets_no_entry_afterwards() {
    let mut session = Session::new();
    session.says(1);
    assert_eq!(session.hook(&["session-end"]), json!({}));
    let palace = outsider::open(&session.place.palace().join("palace.sqlite3"));
    palace.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    assert_eq!(session.hook(&["session-end"]), json!({}));
    palace.execute_batch("ROLLBACK").expect("it is ours");
    assert_eq!(session.diary("claude").len(), 1, "the one from before");
    assert!(session.state("hook.log").is_some_and(|log| log.contains("not saved: ")));
}

#[test]
fn the_switches_keep_hooks_from_saving() {
    let mut session = Session::new();
    session.says(20);
    let run = |name: &str, value: &str| {
        let mut command = session.place.command();
        command.env(name, value).arg("--palace").arg(session.place.palace()).args(["hook", "session-end"]);
        let stdin = fs::File::open(session.place.home().join("event.json")).expect("written below");
        answered(&command.stdin(stdin).output().expect("it was built"))
    };
    fs::write(session.place.home().join("event.json"), session.event().to_string()).expect("our own folder");
    for value in ["false", "0", "No"] {
        assert_eq!(run("MEMPALACE_HOOKS_AUTO_SAVE", value), json!({}));
    }
    assert_eq!(session.state("hook.log"), None);
    let config = session.place.home().join("config");
    fs::create_dir(&config).expect("our own folder");
    fs::write(config.join("config.json"), r#"{"hooks": {"auto_save": false}}"#).expect("our own folder");
    let folder = config.to_str().expect("made of ASCII").to_owned();
    assert_eq!(run("MEMPALACE_CONFIG_DIR", &folder), json!({}));
    assert_eq!(session.diary("claude").len(), 0);
    assert_eq!(run("MEMPALACE_HOOKS_AUTO_SAVE", "true"), json!({}));
    assert_eq!(session.diary("claude").len(), 1);
}

#[test]
fn a_machine_without_a_palace_gets_none() {
    let place = Place::new();
    assert_eq!(answered(&place.cli(&["hook", "session-end", "--entry", "x"], b"{}")), json!({}));
    assert!(!place.palace().exists() && !place.home().join(".mempalace").exists());
    fs::create_dir(place.home().join(".mempalace")).expect("our own folder");
    assert_eq!(answered(&place.cli(&["hook", "session-end", "--entry", "x"], b"{}")), json!({}));
    assert!(place.palace().exists(), "whoever uses MemPalace's places wants to be remembered");
}

#[test]
fn a_mistake_in_the_settings_is_told_as_one() {
    let place = Place::new();
    for args in [&["hook", "nope"][..], &["hook", "stop", "--harness", "nope"], &["hook", "run"]] {
        assert_eq!(place.cli(args, b"{}").status.code(), Some(2), "{args:?}");
    }
}
