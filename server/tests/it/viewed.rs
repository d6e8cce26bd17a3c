//! What is a viewer's own: which files of patches they have looked through, and what they searched for.

use serde_json::json;

use crate::hub::Hub;
use crate::made::{self, make, said, session_of};
use crate::wire::Answer;

const PATCH: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n";

fn page(hub: &Hub, session: &str, target: &str) -> String {
    made::page(hub, session, target).text()
}

fn post(hub: &Hub, session: &str, target: &str, form: &str) -> Answer {
    let request = hub.request("POST", target).without("Authorization").header("Cookie", session);
    request.header("Origin", &hub.origin()).form(form).send()
}

fn put(hub: &Hub, content: &str) -> String {
    let made = hub.call("mempalace_artifact_put", json!({"kind": "patch", "content": content, "created_by": "a"}));
    made["artifact"]["id"].as_str().expect("an id").to_owned()
}

/// The value of the hidden field `part` in the form of a file.
fn part(shown: &str, place: usize) -> String {
    let form = shown.split("action=\"/artifact/viewed\"").nth(place + 1).expect("a form");
    let value = form.split("name=\"part\" value=\"").nth(1).expect("a part");
    value[..64].to_owned()
}

#[test]
fn a_file_that_was_looked_through_stays_so_until_a_patch_changes_it_otherwise() {
    let mut hub = Hub::start();
    let (session, id) = (hub.session(), put(&hub, PATCH));
    let shown = page(&hub, &session, &format!("/artifact?id={id}"));
    assert!(shown.contains("0 of 2 looked through"), "{shown}");
    let form = |viewed: &str| format!("id={id}&open=0&part={}&viewed={viewed}", part(&shown, 0));
    let marked = post(&hub, &session, "/artifact/viewed", &form("yes"));
    assert_eq!((marked.status, marked.header("location")), (303, Some(&*format!("/artifact?id={id}#file-0"))));
    hub.restart();
    assert!(page(&hub, &session, &format!("/artifact?id={id}")).contains("1 of 2 looked through"));
    // The same change in another patch is known, another change of the same file is not.
    let (same, other) = (put(&hub, &format!("{PATCH}\n")), put(&hub, &PATCH.replace("+b", "+e")));
    assert!(page(&hub, &session, &format!("/artifact?id={same}")).contains("1 of 2 looked through"));
    assert!(page(&hub, &session, &format!("/artifact?id={other}")).contains("0 of 2 looked through"));
    assert_eq!(post(&hub, &session, "/artifact/viewed", &form("no")).status, 303);
    assert!(page(&hub, &session, &format!("/artifact?id={id}")).contains("0 of 2 looked through"));
    for (bad, field) in [(form("maybe"), "viewed"), (form("yes").replace("part=", "part=x"), "part")] {
        let refused = post(&hub, &session, "/artifact/viewed", &bad);
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text().contains(field), "{refused:?}");
    }
}

#[test]
fn searches_are_offered_again_until_they_are_forgotten() {
    let hub = Hub::start();
    hub.append("s", "needle");
    let session = hub.session();
    let offered =
        |words: &str, target: &str| page(&hub, &session, target).contains(&format!("<option value=\"{words}\""));
    assert!(!offered("needle", "/log"));
    page(&hub, &session, "/log?q=needle");
    page(&hub, &session, "/palace?q=thimble");
    assert!(offered("needle", "/log") && !offered("thimble", "/log"));
    assert!(offered("thimble", "/palace") && !offered("needle", "/palace"));
    let forgotten = post(&hub, &session, "/searches/forget", "q=&stream=");
    assert_eq!((forgotten.status, forgotten.header("location")), (303, Some("/log")));
    assert!(!offered("needle", "/log") && !offered("thimble", "/palace"));
}

#[test]
fn what_is_somebodys_own_goes_on_by_rotation_and_not_by_a_name() {
    let hub = Hub::start();
    let rights = ["ben", "--scope", "read"];
    let session = session_of(&hub, &make(&hub, &rights));
    page(&hub, &session, "/log?q=private");
    let offers = |session: &str| page(&hub, session, "/log").contains("value=\"private\"");
    assert!(offers(&session));
    let rotated = said(&hub.place().cli(&["token", "rotate", "ben"], b"")).trim_end().to_owned();
    assert!(offers(&session_of(&hub, &rotated)));
    said(&hub.place().cli(&["token", "revoke", "ben"], b""));
    assert!(!offers(&session_of(&hub, &make(&hub, &rights))), "another one of the same name");
}
