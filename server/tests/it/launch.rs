//! `loggia task launch`: with real git checkouts, and runners that note how they were started.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::{Hub, TOKEN};
use crate::place::Place;

/// A place with a checkout, a task for it, and a folder of fake runners.
struct Desk {
    place: Arc<Place>,
    commit: String,
    task: Value,
}

impl Desk {
    fn new(to_agent: &str) -> Self {
        Self::at(&Place::new(), to_agent, &[])
    }

    /// Where the task is made by a command with further arguments.
    fn at(place: &Arc<Place>, to_agent: &str, remote: &[&str]) -> Self {
        let mut desk = Self { place: Arc::clone(place), commit: String::new(), task: Value::Null };
        fs::create_dir_all(desk.workspace()).expect("our own home");
        desk.git(&["init", "--quiet", "--initial-branch", "work"]);
        fs::write(desk.workspace().join("file"), "1\n").expect("our own home");
        desk.git(&["add", "file"]);
        desk.git(&["commit", "--quiet", "-m", "one"]);
        desk.commit = desk.git(&["rev-parse", "HEAD"]);
        for runner in ["codex", "claude"] {
            let path = desk.runners().join(runner);
            fs::create_dir_all(desk.runners()).expect("our own home");
            // Each argument on a line of its own, then where it was started and where git is sent; ends with what the file `code` says.
            let script = "#!/bin/sh\nfor argument; do echo \"[$argument]\"; done\npwd -P\necho \"<$GIT_DIR$GIT_WORK_TREE$GIT_CONFIG_COUNT>\"\nexit $(cat \"$HOME/code\" 2>/dev/null || echo 0)\n";
            fs::write(&path, script).expect("our own home");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
        }
        let create =
            ["task", "create", "--project", "p", "--from-agent", "ana", "--to-agent", to_agent, "--goal", "Fix it"];
        let more = ["--done", "green", "--branch", "work", "--base-commit", &desk.commit[..12], "--json"];
        desk.task = json_of(&desk.place.cli(&[&create[..], &more, remote].concat(), b""));
        desk
    }

    fn workspace(&self) -> PathBuf {
        self.place.home().join("work space")
    }

    fn runners(&self) -> PathBuf {
        self.place.home().join("bin")
    }

    fn id(&self) -> &str {
        self.task["task"]["correlation_id"].as_str().expect("a text")
    }

    fn git(&self, args: &[&str]) -> String {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.env("HOME", self.place.home()).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(self.workspace());
        let output = command.args(identity).args(args).output().expect("git is installed");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command();
        let path = std::env::var("PATH").expect("tests have one");
        command.env("PATH", format!("{}:{path}", self.runners().display()));
        command.arg("--palace").arg(self.place.palace()).args(["task", "launch"]).args(args);
        command.arg("--workspace").arg(self.workspace());
        command
    }

    fn launch(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it was built")
    }

    /// A launch that must be refused: nothing is started.
    #[track_caller]
    fn refused(&self, args: &[&str], sentence: &str) {
        let output = self.launch(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        let error = error["error"].as_str().expect("a text");
        assert!(error.contains(sentence), "{error}");
    }
}

fn real(path: &Path) -> String {
    fs::canonicalize(path).expect("it is there").to_str().expect("made of ASCII").to_owned()
}

#[test]
fn codex_is_told_the_folder_and_claude_is_started_in_it() {
    let desk = Desk::new("ben");
    let handoff = desk.task["handoff"].as_str().expect("a text");
    let workspace = real(&desk.workspace());
    let codex = desk.launch(&[desk.id(), "--runner", "codex"]);
    assert_eq!(codex.status.code(), Some(0), "{codex:?}");
    let said = String::from_utf8(codex.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], format!("launching {} with codex as ben", desk.id()));
    assert_eq!(lines[1..5], ["[exec]", "[--cd]", &format!("[{workspace}]"), &format!("[{handoff}]")]);
    let claude = desk.launch(&[desk.id(), "--runner", "claude"]);
    let said = String::from_utf8(claude.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[1..], ["[--print]", &format!("[{handoff}]"), &workspace, "<>"]);
}

#[test]
fn the_exit_code_is_the_runners() {
    let desk = Desk::new("ben");
    fs::write(desk.place.home().join("code"), "7").expect("our own home");
    assert_eq!(desk.launch(&[desk.id(), "--runner", "codex"]).status.code(), Some(7));
    fs::write(desk.runners().join("codex"), "#!/bin/sh\nkill -TERM $$\n").expect("our own home");
    assert_eq!(desk.launch(&[desk.id(), "--runner", "codex"]).status.code(), Some(128 + 15));
    fs::remove_file(desk.runners().join("codex")).expect("it is ours");
    let mut command = desk.command(&[desk.id(), "--runner", "codex"]);
    let git_only = desk.place.home().join("git only");
    fs::create_dir(&git_only).expect("our own home");
    let which = Command::new("sh").args(["-c", "command -v git"]).output().expect("every system has `sh`");
    let git = String::from_utf8(which.stdout).expect("text");
    std::os::unix::fs::symlink(git.trim(), git_only.join("git")).expect("our own home");
    let missing = command.env("PATH", git_only).output().expect("it was built");
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    assert!(String::from_utf8_lossy(&missing.stderr).contains("could not start codex"), "{missing:?}");
}

#[test]
fn the_checkout_must_be_what_the_task_starts_from() {
    let desk = Desk::new("ben");
    let args = [desk.id(), "--runner", "codex"];
    fs::write(desk.workspace().join("new"), "").expect("our own home");
    desk.refused(&args, "the workspace is not clean: ?? new");
    fs::remove_file(desk.workspace().join("new")).expect("it is ours");
    fs::write(desk.workspace().join("file"), "2\n").expect("our own home");
    desk.refused(&args, "the workspace is not clean: M file");
    desk.git(&["commit", "--quiet", "-am", "two"]);
    desk.refused(&args, &format!("the task starts from {}", desk.commit));
    desk.git(&["switch", "--quiet", "-c", "other", &desk.commit]);
    desk.refused(&args, "the workspace is on 'other'; the task wants 'work'");
    desk.git(&["switch", "--quiet", "--detach", &desk.commit]);
    desk.refused(&args, "the workspace is on no branch");
    desk.git(&["switch", "--quiet", "-C", "work", &desk.commit]);
    assert_eq!(desk.launch(&args).status.code(), Some(0), "and now it is");
    let mut elsewhere = desk.command(&args);
    elsewhere.env("GIT_DIR", desk.place.home()).env("GIT_WORK_TREE", desk.place.home());
    elsewhere.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.bare").env("GIT_CONFIG_VALUE_0", "true");
    let misled = elsewhere.output().expect("it was built");
    assert_eq!(misled.status.code(), Some(0), "the environment does not lead git elsewhere: {misled:?}");
    let said = String::from_utf8_lossy(&misled.stdout);
    assert!(said.ends_with("\n<>\n"), "nor the runner: {said}");
    let nowhere = desk.place.cli(&["task", "launch", desk.id(), "--runner", "codex", "--workspace", "no/such"], b"");
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("workspace no/such"), "{nowhere:?}");
    let bare = desk.place.home().to_str().expect("made of ASCII").to_owned();
    let no_git = desk.place.cli(&["task", "launch", desk.id(), "--runner", "codex", "--workspace", &bare], b"");
    assert_eq!(no_git.status.code(), Some(1), "{no_git:?}");
}

#[test]
fn a_commit_that_the_checkout_does_not_know_is_refused() {
    let desk = Desk::new("ben");
    let event = json!({"type": "task.request", "correlation_id": "t", "to_agent": "ben", "branch": "work", "base_commit": "0123abc"});
    let file = desk.place.home().join("task.json");
    fs::write(&file, event.to_string()).expect("our own home");
    desk.refused(
        &["--task-file", file.to_str().expect("ASCII"), "--runner", "codex"],
        "the workspace does not know the task's base commit 0123abc",
    );
    desk.git(&["branch", "0123abc"]);
    desk.refused(
        &["--task-file", file.to_str().expect("ASCII"), "--runner", "codex"],
        &format!("the workspace is at commit {}; the task starts from 0123abc", desk.commit),
    );
}

#[test]
fn a_task_may_come_from_a_file() {
    let desk = Desk::new("ben");
    let file = desk.place.home().join("task.json");
    let args = ["--task-file", file.to_str().expect("ASCII"), "--runner", "codex"];
    fs::remove_dir_all(desk.place.palace()).expect("it was made by the first command");
    for text in [desk.task.to_string(), desk.task["task"].to_string()] {
        fs::write(&file, text).expect("our own home");
        let output = desk.launch(&args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert!(!desk.place.palace().exists(), "no palace is needed");
    let mut event = desk.task["task"].clone();
    event["base_commit"] = json!("--upload-pack=x");
    fs::write(&file, event.to_string()).expect("our own home");
    desk.refused(&args, "is not 7 to 64 hexadecimal digits");
    fs::write(&file, "{}").expect("our own home");
    desk.refused(&args, "--task-file: this is not a task.request event");
    assert_eq!(desk.launch(&["--runner", "codex"]).status.code(), Some(2), "an id or a file");
    assert_eq!(desk.launch(&[&["x"][..], &args].concat()).status.code(), Some(2), "not both");
}

#[test]
fn who_does_it_must_be_clear() {
    let desk = Desk::new("ben");
    desk.refused(&[desk.id(), "--runner", "codex", "--agent", "eve"], "the task is addressed to 'ben', not 'eve'");
    assert_eq!(desk.launch(&[desk.id(), "--runner", "codex", "--agent", "ben"]).status.code(), Some(0));
    let everybody = Desk::new("*");
    everybody.refused(&[everybody.id(), "--runner", "codex"], "a task for everybody needs --agent");
    let output = everybody.launch(&[everybody.id(), "--runner", "codex", "--agent", "eve"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(" as eve. "), "the line that wakes it: {output:?}");
    everybody.refused(
        &[everybody.id(), "--runner", "claude", "--agent", "win-codex"],
        "runner claude does not fit agent 'win-codex'",
    );
    assert_eq!(desk.launch(&[desk.id(), "--runner", "sh"]).status.code(), Some(2));
}

#[test]
fn a_task_must_be_one_request() {
    let desk = Desk::new("ben");
    desk.refused(&["task_none", "--runner", "codex"], "task 'task_none' not found");
    let append = ["logstream", "append", "--type", "task.request", "--stream", "s", "--room", "r", "--from-agent", "x"];
    assert!(desk.place.cli(&[&append[..], &["--correlation-id", desk.id()]].concat(), b"").status.success());
    desk.refused(&[desk.id(), "--runner", "codex"], "has several requests");
}

#[test]
fn a_task_may_lie_on_a_hub() {
    let hub = Hub::start();
    let url = hub.origin();
    let remote = ["--url", &url, "--token", TOKEN];
    let elsewhere = Place::new();
    let desk = Desk::at(&elsewhere, "ben", &remote);
    let output = desk.launch(&[&[desk.id(), "--runner", "codex"][..], &remote].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!elsewhere.palace().exists(), "no palace is needed");
}
