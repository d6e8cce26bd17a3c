//! What other hubs pull: `GET /sync/*`, and what is told about the estate.

use std::io::Read as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hub::{Hub, event_with};
use crate::place::is_private;

fn vector(hub: &Hub) -> Value {
    hub.get("/sync/version_vector").json()
}

#[test]
fn an_authors_events_come_in_its_order_with_everything_it_wrote() {
    let hub = Hub::start();
    let artifact = hub.call("mempalace_artifact_put", json!({"kind": "note", "content": "é\r\n", "created_by": "a"}));
    let id = artifact["artifact"]["id"].as_str().expect("an id").to_owned();
    let metadata: Value = serde_json::from_str(r#"{"n": 18446744073709551616, "f": 1.0}"#).expect("JSON");
    let more = json!({"metadata": metadata, "artifact_ids": [id], "status": "ready", "topic": "t"});
    let written: Vec<Value> = (0..3).map(|n| hub.append_event(event_with("s", &n.to_string(), more.clone()))).collect();
    let told = vector(&hub);
    let own = told["replica_id"].as_str().expect("an identity").to_owned();
    assert_eq!(told["version_vector"][&own], written[2]["origin_seq"]);
    assert_eq!(told.get("newest_seq"), None, "MemPalace does not know it");

    let answer = hub.get(&format!("/sync/ops?origin={own}&after=0&limit=2"));
    assert!(answer.text().contains("18446744073709551616"), "{}", answer.text());
    let ops = answer.json();
    assert_eq!(ops["events"], json!(&written[..2]));
    assert_eq!((&ops["count"], &ops["origin"]), (&json!(2), &json!(own)));
    let rest = hub.get(&format!("/sync/ops?origin={own}&after={}", written[1]["origin_seq"])).json();
    assert_eq!(rest["events"], json!(&written[2..]));

    let got = hub.get(&format!("/sync/artifact?id={id}")).json();
    assert_eq!((&got["artifact"]["content"], &got["artifact"]["id"]), (&json!("é\r\n"), &json!(id)));
    assert_eq!(hub.get("/sync/artifact?id=art_none").status, 404);
}

#[test]
fn bad_arguments_are_named() {
    let hub = Hub::start();
    for (target, word) in [
        ("/sync/ops", "origin"),
        ("/sync/ops?origin=", "origin"),
        ("/sync/ops?origin=x&after=-1", "after"),
        ("/sync/ops?origin=x&after=1.5", "after"),
        ("/sync/ops?origin=x&after=99999999999999999999", "after"),
        ("/sync/ops?origin=x&limit=0", "limit"),
        ("/sync/ops?origin=x&limit=many", "limit"),
        ("/sync/artifact", "artifact_id"),
        ("/sync/version_vector?wait_ms=soon", "wait_ms"),
    ] {
        let answer = hub.get(target);
        assert_eq!(answer.status, 400, "{target}");
        assert!(answer.json()["error"].as_str().is_some_and(|e| e.contains(word)), "{target}: {}", answer.text());
    }
    assert_eq!(hub.get("/sync/ops?origin=x&limit=100000&after=").json()["count"], 0);
}

#[test]
fn replication_needs_its_own_scope() {
    let hub = Hub::start();
    let token = |scope: &str| {
        let output = hub.place().cli(&["token", "create", "--name", scope, "--scope", scope, "--json"], b"");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["token"].as_str().expect("a secret").to_owned()
    };
    let (reader, peer) = (token("write"), token("replicate"));
    for target in ["/sync/version_vector", "/sync/ops?origin=x", "/sync/artifact?id=x", "/sync/peers"] {
        let status = |token: &str| {
            let bearer = format!("Bearer {token}");
            hub.request("GET", target).set("Authorization", &bearer).send().status
        };
        assert_eq!(hub.request("GET", target).without("Authorization").send().status, 401, "{target}");
        assert_eq!(status(&reader), 403, "{target}");
        assert!([200, 404].contains(&status(&peer)), "{target}");
    }
}

#[test]
fn a_large_answer_is_packed_when_that_is_asked_for() {
    let hub = Hub::start();
    hub.append("s", &"gallery ".repeat(1000));
    let own = vector(&hub)["replica_id"].as_str().expect("an identity").to_owned();
    let target = format!("/sync/ops?origin={own}");
    let plain = hub.request("GET", &target).send();
    assert_eq!(plain.header("content-encoding"), None);
    let packed = hub.request("GET", &target).header("Accept-Encoding", "br, gzip;q=0.8").send();
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut text).expect("it is gzip");
    assert_eq!(text, plain.text());
    assert!(packed.body.len() * 10 < text.len());
    let refused = hub.request("GET", &target).header("Accept-Encoding", "gzip;q=0").send();
    assert_eq!(refused.header("content-encoding"), None);
}

#[test]
fn a_peer_that_waits_is_told_when_something_is_written() {
    let hub = Hub::start();
    hub.append("s", "1");
    let ask = |since: i64| {
        let target = format!("/sync/version_vector?wait_ms=30000&since_seq={since}");
        hub.get(&target).json()["newest_seq"].as_i64().expect("a number")
    };
    let newest = ask(-1);
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| (ask(newest), Instant::now()));
        // It has no way to say that it waits; whether it was there before or comes after, the answer is the same.
        std::thread::yield_now();
        hub.append("s", "2");
        let (seq, _) = asked.join().expect("it was answered");
        assert_eq!(seq, newest + 1);
    });
}

#[test]
fn a_peer_that_waits_is_told_nothing_once_its_token_is_revoked() {
    let hub = Hub::start();
    let created = hub.place().cli(&["token", "create", "--name", "peer", "--scope", "replicate", "--json"], b"").stdout;
    let created: Value = serde_json::from_slice(&created).expect("JSON");
    let bearer = format!("Bearer {}", created["token"].as_str().expect("a secret"));
    let ask = |target: &str| hub.request("GET", target).set("Authorization", &bearer).send();
    let newest = ask("/sync/version_vector?wait_ms=0").json()["newest_seq"].as_i64().expect("a number");
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&format!("/sync/version_vector?wait_ms=30000&since_seq={newest}")).status);
        std::thread::yield_now();
        let revoked = hub.place().cli(&["token", "revoke", "peer"], b"");
        assert!(revoked.status.success(), "{revoked:?}");
        assert_eq!(asked.join().expect("it was answered"), 401);
    });
}

#[test]
fn the_tool_and_the_route_tell_the_same_and_no_secret() {
    let hub = Hub::start();
    let file = hub.place().palace().join("peers.json");
    let secret = "sekret-token-of-a-peer";
    let peers = json!({"peers": [
        {"name": "dead", "url": "http://127.0.0.1:9", "token": secret},
        {"name": "odd", "url": format!("http://user:{secret}@127.0.0.1:9")},
    ]});
    std::fs::write(&file, peers.to_string()).expect("written");
    let until = Instant::now() + Duration::from_mins(1);
    let mesh = loop {
        let mesh = hub.call("mempalace_mesh_peers", json!({}));
        if mesh["peers"][0]["last_error"].is_string() {
            break mesh;
        }
        assert!(Instant::now() < until, "{mesh}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!((&mesh["peers"][0]["name"], &mesh["peers"][0]["reachable"]), (&json!("dead"), &json!(false)));
    assert_eq!(mesh["peers_file_faults"].as_array().map(Vec::len), Some(1));
    let route = hub.get("/sync/peers");
    for name in ["self", "peers", "unnamed_origins", "origin_profiles", "sync_interval_s", "estate_source"] {
        assert!(mesh[name] != Value::Null && route.json()[name] != Value::Null, "{name}: {mesh}");
    }
    let shown = [mesh.to_string(), route.text(), hub.get("/statusz").text(), hub.get("/metrics").text()];
    assert!(shown.iter().all(|text| !text.contains(secret)));
    assert!(!hub.place().stderr().contains(secret), "{}", hub.place().stderr());
    // A file that is no list is said once, and undoes nothing.
    std::fs::write(&file, format!("{{\"token\": \"{secret}\"")).expect("written");
    let until = Instant::now() + Duration::from_mins(1);
    while !hub.get("/sync/peers").json()["peers_file_faults"][0].as_str().is_some_and(|f| f.contains("not JSON")) {
        assert!(Instant::now() < until, "{}", hub.get("/sync/peers").text());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(hub.get("/sync/peers").json()["peers"].as_array().map(Vec::len), Some(1));
    assert!(!hub.place().stderr().contains(secret), "{}", hub.place().stderr());
}

#[test]
fn peers_are_added_listed_and_removed_and_their_tokens_kept() {
    let hub = Hub::start();
    let place = hub.place();
    let token = place.home().join("token");
    std::fs::write(&token, "sekret\n").expect("written");
    let token = token.to_str().expect("a path of ours");
    let run = |args: &[&str]| {
        let output = place.cli(args, b"");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (good, said) = run(&["peers", "add", "b", "http://127.0.0.1:1/", "--token-file", token]);
    assert!(good && !said.contains("sekret"), "{said}");
    for bad in ["ftp://h", "http://u:p@h", "nonsense"] {
        assert!(!run(&["peers", "add", "x", bad]).0, "{bad}");
    }
    let file = place.palace().join("peers.json");
    assert!(is_private(&file) && std::fs::read_to_string(&file).expect("read").contains("sekret"));
    let (good, said) = run(&["peers", "list", "--json"]);
    let listed: Value = serde_json::from_str(&said).expect("JSON");
    assert!(good, "{said}");
    assert_eq!(listed["peers"], json!([{"name": "b", "url": "http://127.0.0.1:1", "has_token": true}]));
    assert!(run(&["peers", "remove", "b"]).0 && !run(&["peers", "remove", "b"]).0);
}

#[test]
fn a_command_pulls_once() {
    let (there, here) = (Hub::start(), Hub::start());
    there.call(
        "mempalace_patch_submit",
        json!({"stream": "s", "from_agent": "a", "content": "--- a\n+++ b\n", "body": "p"}),
    );
    let written = there.append_event(event_with("s", "one", json!({"to_agent": "*"})));
    let sync = |token: &str| {
        let output =
            here.place().cli(&["logstream", "sync", "--peer", &there.origin(), "--token", token, "--json"], b"");
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let (code, told) = sync(crate::hub::TOKEN);
    assert_eq!(code, Some(0), "{told}");
    assert!(told[0]["pulled_events"].as_u64().is_some_and(|n| n >= 1), "{told}");
    let (_, again) = sync(crate::hub::TOKEN);
    assert_eq!((&again[0]["pulled_events"], &again[0]["pulled_artifacts"]), (&json!(0), &json!(0)));
    let copy = here.call("mempalace_event_get", json!({"event_id": written["id"]}));
    for name in ["id", "origin_replica", "origin_seq", "hlc", "created_at", "body"] {
        assert_eq!(copy["event"][name], written[name], "{name}: {copy}");
    }
    let (code, told) = sync("wrong");
    assert!(code == Some(1) && told[0]["error"].as_str().is_some_and(|e| e.contains("401")), "{told}");
}

#[test]
fn a_new_identity_is_minted_only_while_no_hub_runs() {
    let mut hub = Hub::start();
    hub.append("s", "1");
    let before = vector(&hub)["replica_id"].clone();
    assert!(!hub.place().cli(&["peers", "new-identity"], b"").status.success());
    hub.terminate();
    let output = hub.place().cli(&["peers", "new-identity", "--json"], b"");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    hub.start_again();
    let event = hub.append_event(event_with("s", "2", json!({})));
    let after = vector(&hub);
    assert_eq!((&told["was"], &told["replica_id"]), (&before, &after["replica_id"]));
    assert_ne!(before, after["replica_id"]);
    assert_eq!(event["origin_replica"], after["replica_id"]);
    assert_eq!(after["version_vector"].as_object().map(serde_json::Map::len), Some(2), "{after}");
}
