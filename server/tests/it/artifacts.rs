//! GET /artifacts/{id}/raw: the exact bytes, as a file that no browser will run.

use serde_json::json;

use crate::hub::Hub;

fn put(hub: &Hub, content: &str) -> String {
    let put = hub.call("mempalace_artifact_put", json!({"kind": "patch", "content": content, "created_by": "a"}));
    put["artifact"]["id"].as_str().unwrap_or_else(|| panic!("refused: {put}")).to_owned()
}

#[test]
fn a_download_is_the_exact_bytes_and_nothing_that_runs() {
    let hub = Hub::start();
    let content = "--- a\r\n+++ b\r\n<script>alert(1)</script>\r\n\u{1}\té e\u{301} 😀\u{feff} no newline at the end";
    let target = format!("/artifacts/{}/raw", put(&hub, content));
    let by_token = hub.request("GET", &target).header("Accept-Encoding", "gzip, br").send();
    let by_cookie = hub.request("GET", &target).without("Authorization").header("Cookie", &hub.session()).send();
    for answer in [by_token, by_cookie] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body, content.as_bytes());
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        assert!(answer.header("content-disposition").is_some_and(|d| d.starts_with("attachment")), "{answer:?}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("content-encoding"), None);
    }
}

#[test]
fn a_stranger_gets_nothing_and_an_unknown_id_is_404() {
    let hub = Hub::start();
    let id = put(&hub, "x");
    let target = format!("/artifacts/{id}/raw");
    let stranger = hub.request("GET", &target).without("Authorization").send();
    assert_eq!(stranger.status, 401, "{stranger:?}");
    assert!(stranger.json()["error"].is_string());
    for unknown in ["nope", "art_20200101T000000_000000000000", "%2e%2e%2freplica.json", &id.to_uppercase()] {
        let answer = hub.get(&format!("/artifacts/{unknown}/raw"));
        assert_eq!(answer.status, 404, "{unknown}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{unknown}");
    }
}

#[test]
fn two_puts_of_one_text_are_two_artifacts() {
    let hub = Hub::start();
    let (one, two) = (put(&hub, "same"), put(&hub, "same"));
    assert_ne!(one, two);
    assert_eq!(hub.get(&format!("/artifacts/{one}/raw")).body, hub.get(&format!("/artifacts/{two}/raw")).body);
}

#[test]
fn an_event_refers_to_artifacts_that_exist_in_the_given_order() {
    let hub = Hub::start();
    let (one, two) = (put(&hub, "1"), put(&hub, "2"));
    let arguments = crate::hub::event_with("s", "x", json!({"artifact_ids": [two, one, two]}));
    assert_eq!(hub.append_event(arguments)["artifact_ids"], json!([two, one]));
    let arguments = crate::hub::event_with("s", "x", json!({"artifact_ids": [one, "art_x"]}));
    let refused = hub.call("mempalace_event_append", arguments);
    assert_eq!(refused["error"], "artifact_ids references unknown artifact 'art_x'");
    let mut sorted = [one, two];
    sorted.sort();
    let list = hub.list(json!({}));
    assert_eq!((list.len(), &list[0]["artifact_ids"]), (1, &json!(sorted)));
}
