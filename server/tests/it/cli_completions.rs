//! `loggia completions` and `loggia man`: made from the command line's own definition, so they name what there is.

use std::fs;

use crate::place::Place;

#[test]
fn every_shell_gets_completions() {
    let place = Place::new();
    for (shell, mark) in [("bash", "complete -F"), ("zsh", "#compdef loggia"), ("fish", "complete -c loggia")] {
        let output = place.cli(&["completions", shell], b"");
        assert!(output.status.success(), "{output:?}");
        let script = String::from_utf8(output.stdout).expect("text");
        assert!(script.contains(mark) && script.contains("idle-exit-ms"), "{shell}");
    }
    assert_eq!(place.cli(&["completions", "tcsh"], b"").status.code(), Some(2));
    assert!(!place.palace().exists());
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    let folder = place.home().join("new").join("man1");
    let output = place.cli(&["man", folder.to_str().expect("made of ASCII")], b"");
    assert!(output.status.success(), "{output:?}");
    for (page, word) in [
        ("loggia.1", "logstream"),
        ("loggia-serve.1", "public"),
        ("loggia-logstream-watch.1", "state"),
        ("loggia-artifact-get.1", "bytes"),
        ("loggia-task-launch.1", "workspace"),
        ("loggia-mcp.1", "url"),
    ] {
        let text = fs::read_to_string(folder.join(page)).unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(text.contains(".TH") && text.contains(word), "{page}: {text}");
    }
}
