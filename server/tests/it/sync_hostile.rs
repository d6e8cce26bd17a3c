//! A peer that sends nonsense: it is refused or contained, shown with what blocks it, and everything else goes on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::foreign_hub::{ForeignHub, ok, parameter};
use crate::hub::{Hub, event_with};
use crate::place::sha256;
use crate::sync_mesh::write_peers;

/// An identity out of one digit.
fn replica(digit: char) -> String {
    format!("rep_{}", digit.to_string().repeat(32))
}

/// A good event of an author, with what it says otherwise.
fn told(origin: &str, seq: i64, more: Value) -> Value {
    let digit = &origin[4..5];
    let mut event = json!({
        "id": format!("evt_20261130T140000_{digit}0000000{seq:04}"), "seq": 1, "origin_replica": origin, "origin_seq": seq,
        "hlc": format!("{:013}-000000-{origin}", 1_796_068_474_000_i64 + seq), "type": "t.x", "stream": "hostile",
        "room": "r", "topic": null, "from_agent": "a", "to_agent": null, "correlation_id": null, "branch": null,
        "base_commit": null, "status": null, "artifact_ids": [], "body": "b", "created_at": "2026-11-30T14:00:00Z",
        "metadata": {},
    });
    let (Value::Object(all), Value::Object(more)) = (&mut event, more) else { panic!("objects") };
    all.extend(more);
    event
}

#[track_caller]
fn wait_until(what: &str, hub: &Hub, is_so: impl Fn(&Value) -> bool) -> Value {
    let until = Instant::now() + Duration::from_mins(2);
    loop {
        let mesh = hub.get("/sync/peers").json();
        if is_so(&mesh) {
            return mesh;
        }
        assert!(Instant::now() < until, "{what}: {mesh:#}\n{}", hub.place().stderr());
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// Authors whose second event cannot be taken, and what is said of it.
fn bad_seconds(own_event: &str) -> Vec<(char, Value, &'static str)> {
    vec![
        ('1', json!({"artifact_ids": ["art_corrupt"]}), "sha256"),
        ('2', json!({"artifact_ids": ["art_missing"]}), "does not have it"),
        ('3', json!({"body": "x".repeat(262_145)}), "maximum"),
        ('4', json!({"id": own_event}), "another event with this id"),
        ('5', json!({"origin_replica": replica('f')}), "origin"),
        ('6', json!({"origin_seq": 1}), "follow"),
        ('7', json!({"hlc": "soon"}), "hlc"),
        ('8', json!({"stream": 5}), "stream"),
        ('9', json!({"metadata": [1]}), "metadata"),
    ]
}

#[test]
fn what_cannot_be_taken_stops_its_author_alone_and_is_shown() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let own_event = hub.append("mine", "first");
    let (good, odd, huge, broken) = (replica('a'), replica('b'), replica('c'), replica('d'));
    let bad = bad_seconds(&own_event);
    let ahead = format!("2111425200000-000000-{odd}");
    let script = {
        let (good, odd, huge, broken, bad) = (good.clone(), odd.clone(), huge.clone(), broken.clone(), bad.clone());
        let ahead = ahead.clone();
        move |target: &str| {
            if target.starts_with("/sync/version_vector") {
                let mut vector = json!({good.as_str(): 3, odd.as_str(): 2, huge.as_str(): 1, broken.as_str(): 1,
                    "nobody": 4, replica('e'): "many"});
                for (digit, _, _) in &bad {
                    vector[replica(*digit)] = 3.into();
                }
                return ok(&json!({"replica_id": replica('0'), "version_vector": vector, "profile": 5}));
            }
            if target.starts_with("/sync/artifact") {
                let content = "<img src=x onerror=alert(1)>";
                return match parameter(target, "id").as_str() {
                    "art_corrupt" => {
                        ok(&json!({"artifact": {"id": "art_corrupt", "kind": "note", "sha256": sha256("other"),
                        "size_bytes": 5, "content": content, "created_by": "a", "created_at": "2026-11-30T14:00:00Z"}}))
                    }
                    _ => (404, b"{}".to_vec()),
                };
            }
            let (origin, after) = (parameter(target, "origin"), parameter(target, "after"));
            let after: i64 = after.parse().unwrap_or(0);
            if origin == huge {
                return (200, vec![b' '; 65 * 1024 * 1024]);
            }
            if origin == broken {
                return (200, b"{\"events\": [".to_vec());
            }
            let events: Vec<Value> = if origin == odd {
                vec![
                    told(&origin, 1, json!({"status": "paused", "type": "Odd <b>", "metadata": {"x": "\u{202e}"}})),
                    told(&origin, 2, json!({"hlc": ahead, "body": "<script>alert(1)</script>"})),
                ]
            } else if let Some((_, more, _)) = bad.iter().find(|(digit, _, _)| replica(*digit) == origin) {
                vec![told(&origin, 1, json!({})), told(&origin, 2, more.clone()), told(&origin, 3, json!({}))]
            } else {
                (1..=3).map(|n| told(&origin, n, json!({}))).collect()
            };
            let asked: Vec<Value> = events
                .into_iter()
                .filter(|e| e["origin_seq"].as_i64().is_none_or(|n| n > after || n == 1 && after == 1))
                .collect();
            ok(&json!({"origin": origin, "events": asked, "count": asked.len()}))
        }
    };
    let foreign = ForeignHub::start(script);
    write_peers(&hub.place().palace(), &[("foreign", foreign.url())]);
    let all = bad.len() + 2;
    let mesh = wait_until("all that is bad stops", &hub, |mesh| {
        let blocks = mesh["peers"][0]["blocks"].as_object().map_or(0, serde_json::Map::len);
        blocks == all && mesh["self"]["version_vector"][&good] == 3 && mesh["self"]["version_vector"][&odd] == 2
    });
    let peer = &mesh["peers"][0];
    for (digit, _, word) in &bad {
        let origin = replica(*digit);
        let block = &peer["blocks"][&origin];
        assert!(block["reason"].as_str().is_some_and(|r| r.contains(word)), "{digit}: {block}");
        assert_eq!(mesh["self"]["version_vector"][&origin], 1, "{digit}: what came before stays");
        assert!(block["event_id"].is_string(), "{digit}: {block}");
    }
    assert_eq!(peer["blocks"][replica('1')]["artifact_id"], "art_corrupt");
    assert_eq!(peer["blocks"][replica('2')]["artifact_id"], "art_missing");
    assert!(peer["blocks"][&huge]["reason"].as_str().is_some_and(|r| r.contains("more than")), "{peer}");
    assert!(peer["odd_entries"].as_array().is_some_and(|odd| odd.len() == 2), "{peer}");
    assert_eq!(peer["profile"], Value::Null);

    let events = hub.list(json!({"stream": "hostile", "limit": 500}));
    assert!(events.iter().any(|e| e["status"] == "paused" && e["type"] == "Odd <b>"), "what is unknown is kept");
    assert!(events.iter().any(|e| e["hlc"] == json!(ahead)), "a clock far ahead is kept");
    let mine = hub.append_event(event_with("mine", "second", json!({})));
    assert!(mine["hlc"].as_str() < Some("1999999999999"), "and drags nobody along: {mine}");
    assert_eq!(hub.call("mempalace_event_get", json!({"event_id": own_event}))["event"]["body"], "first");
    for secret in [hub.get("/metrics").text(), hub.get("/statusz").text()] {
        assert!(!secret.contains("art_corrupt") && !secret.contains("onerror"), "{secret}");
    }
}

#[test]
fn a_vector_that_is_none_is_an_error_of_that_peer_alone() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let bodies: [&[u8]; 7] = [
        b"[]",
        b"nonsense",
        b"{\"replica_id\": \"me\", \"version_vector\": {}}",
        b"{\"replica_id\": \"rep_000000000000\", \"version_vector\": [1]}",
        b"{\"replica_id\": \"rep_000000000000\"}",
        b"\xff\xfe",
        b"",
    ];
    let foreign: Vec<ForeignHub> =
        bodies.into_iter().map(|body| ForeignHub::start(move |_| (200, body.to_vec()))).collect();
    let sound = Hub::start();
    let event = sound.append("s", "sound");
    let names = ["p0", "p1", "p2", "p3", "p4", "p5", "p6"];
    let mut peers: Vec<(&str, String)> = names.iter().copied().zip(foreign.iter().map(ForeignHub::url)).collect();
    peers.push(("sound", sound.origin()));
    // Its own address: a hub never pulls from itself.
    peers.push(("self", hub.origin()));
    write_peers(&hub.place().palace(), &peers);
    let mesh = wait_until("each has its error", &hub, |mesh| {
        let peers = mesh["peers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let bad = peers.iter().filter(|p| p["last_error"].is_string()).count();
        // The event is there before the round that brought it has ended.
        let is_sound = mesh["peers"][7]["reachable"] == true;
        bad == 8 && is_sound && hub.call("mempalace_event_get", json!({"event_id": event}))["event"].is_object()
    });
    assert!(mesh["peers"][8]["last_error"].as_str().is_some_and(|e| e.contains("identity")), "{mesh}");
}

#[test]
fn a_peer_that_lies_about_us_is_an_alarm_and_stops_nothing() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let before = hub.append_event(event_with("mine", "1", json!({})));
    let own = hub.get("/sync/version_vector").json()["replica_id"].as_str().expect("an identity").to_owned();
    let good = replica('a');
    let (script_own, script_good) = (own.clone(), good.clone());
    let foreign = ForeignHub::start(move |target: &str| {
        if target.starts_with("/sync/version_vector") {
            let vector = json!({script_own.as_str(): 9_000_000_000_000_000_i64, script_good.as_str(): 1});
            return ok(&json!({"replica_id": replica('0'), "version_vector": vector}));
        }
        let origin = parameter(target, "origin");
        let events = if origin == script_good { vec![told(&origin, 1, json!({}))] } else { vec![] };
        ok(&json!({"origin": origin, "events": events, "count": events.len()}))
    });
    write_peers(&hub.place().palace(), &[("liar", foreign.url())]);
    let mesh = wait_until("the alarm is there and the rest came", &hub, |mesh| {
        mesh["restore"]["state"] == "incomplete" && mesh["self"]["version_vector"][&good] == 1
    });
    assert_eq!(mesh["peers"][0]["reachable"], true, "{mesh}");
    let after = hub.append_event(event_with("mine", "2", json!({})));
    assert_eq!(after["origin_seq"].as_i64(), before["origin_seq"].as_i64().map(|n| n + 2), "{after}");
    assert!(hub.get("/metrics").text().contains("loggia_restore_detected 1"));
}

#[test]
fn a_blocked_author_goes_on_when_its_peer_mends_it() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let origin = replica('a');
    let content = "late\n";
    let asked = Arc::new((AtomicUsize::new(0), Mutex::new(false)));
    let (shared, author) = (Arc::clone(&asked), origin.clone());
    let foreign = ForeignHub::start(move |target: &str| {
        if target.starts_with("/sync/version_vector") {
            return ok(&json!({"replica_id": replica('0'), "version_vector": {author.as_str(): 1}}));
        }
        if target.starts_with("/sync/artifact") {
            shared.0.fetch_add(1, Ordering::SeqCst);
            let is_there = *shared.1.lock().expect("no answer panics");
            let artifact = json!({"id": "art_late", "kind": "odd kind", "sha256": sha256(content), "size_bytes": 5,
                "content": content, "created_by": "a", "created_at": "2026-11-30T14:00:00Z", "metadata": {}});
            return if is_there { ok(&json!({"artifact": artifact})) } else { (404, b"{}".to_vec()) };
        }
        let events = vec![told(&author, 1, json!({"artifact_ids": ["art_late"]}))];
        ok(&json!({"origin": author, "events": events, "count": 1}))
    });
    write_peers(&hub.place().palace(), &[("foreign", foreign.url())]);
    wait_until("it stops", &hub, |mesh| mesh["peers"][0]["blocks"][&origin]["artifact_id"] == "art_late");
    *asked.1.lock().expect("no answer panics") = true;
    wait_until("it goes on", &hub, |mesh| {
        mesh["self"]["version_vector"][&origin] == 1
            && mesh["peers"][0]["blocks"].as_object().is_some_and(serde_json::Map::is_empty)
    });
    let got = hub.call("mempalace_artifact_get", json!({"artifact_id": "art_late"}));
    assert_eq!((&got["artifact"]["content"], &got["artifact"]["kind"]), (&json!(content), &json!("odd kind")));
}

#[test]
fn a_claim_about_us_that_is_not_proved_moves_nothing_and_hides_nothing() {
    for answer in [(200, "[]"), (429, "")] {
        let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
        for n in 0..3 {
            hub.append("mine", &n.to_string());
        }
        let own = hub.get("/sync/version_vector").json()["replica_id"].as_str().expect("an identity").to_owned();
        let (good, claimed) = (replica('a'), Arc::new(AtomicUsize::new(4)));
        let (script_own, script_good, rising) = (own.clone(), good.clone(), Arc::clone(&claimed));
        let foreign = ForeignHub::start(move |target: &str| {
            if target.starts_with("/sync/version_vector") {
                let claim = rising.fetch_add(1000, Ordering::SeqCst);
                let vector = json!({script_own.as_str(): claim, script_good.as_str(): 1});
                return ok(&json!({"replica_id": replica('0'), "version_vector": vector}));
            }
            let origin = parameter(target, "origin");
            if origin == script_good {
                return ok(&json!({"origin": origin, "events": [told(&origin, 1, json!({}))], "count": 1}));
            }
            match answer {
                (200, _) => ok(&json!({"origin": origin, "events": [], "count": 0})),
                (status, body) => (status, body.as_bytes().to_vec()),
            }
        });
        write_peers(&hub.place().palace(), &[("liar", foreign.url())]);
        wait_until("several rounds", &hub, |_| claimed.load(Ordering::SeqCst) > 4_004);
        let mesh = hub.get("/sync/peers").json();
        if answer.0 == 200 {
            assert_eq!(mesh["restore"]["state"], "incomplete", "{mesh}");
            assert!(mesh["restore"]["reason"].as_str().is_some_and(|r| r.contains("does not show")), "{mesh}");
            wait_until("the rest came", &hub, |mesh| mesh["self"]["version_vector"][&good] == 1);
        }
        assert_eq!(hub.get("/sync/version_vector").json()["version_vector"][&own], 3);
        hub.append("mine", "after");
        let events = hub.get(&format!("/sync/ops?origin={own}")).json()["events"].clone();
        let numbers: Vec<i64> =
            events.as_array().expect("a list").iter().filter_map(|e| e["origin_seq"].as_i64()).collect();
        // A number of ours follows the newest arrival, and the good author's event may be one.
        let next = if answer.0 == 200 { 5 } else { 4 };
        assert_eq!(numbers, [1, 2, 3, next]);
    }
}

#[test]
fn a_peer_that_is_busy_blocks_no_author_and_costs_the_others_nothing() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    let (busy_author, other) = (replica('a'), replica('b'));
    let (first, second) = (busy_author.clone(), other.clone());
    let is_busy = Arc::new(AtomicBool::new(true));
    let busy = Arc::clone(&is_busy);
    let foreign = ForeignHub::start(move |target: &str| {
        if target.starts_with("/sync/version_vector") {
            let vector = json!({first.as_str(): 3, second.as_str(): 2});
            return ok(&json!({"replica_id": replica('0'), "version_vector": vector}));
        }
        if target.starts_with("/sync/artifact") {
            let artifact = json!({"id": "art_1", "kind": "other", "sha256": sha256("x"), "size_bytes": 1, "content": "x",
                "created_by": "a", "created_at": "2026-11-30T14:00:00Z", "metadata": {}});
            let is_busy = busy.load(Ordering::SeqCst);
            return if is_busy { (429, b"{}".to_vec()) } else { ok(&json!({"artifact": artifact})) };
        }
        let (origin, after) = (parameter(target, "origin"), parameter(target, "after").parse().unwrap_or(0));
        let last = if origin == first { 3 } else { 2 };
        let artifact = |n: i64| if n == 2 && last == 3 { json!({"artifact_ids": ["art_1"]}) } else { json!({}) };
        let events: Vec<Value> = (after + 1..=last).map(|n| told(&origin, n, artifact(n))).collect();
        ok(&json!({"origin": origin, "events": events, "count": events.len()}))
    });
    write_peers(&hub.place().palace(), &[("foreign", foreign.url())]);
    let mesh = wait_until("what needs nothing came", &hub, |mesh| {
        let vector = &mesh["self"]["version_vector"];
        let said = mesh["peers"][0]["last_error"].as_str().is_some_and(|e| e.contains("429"));
        said && vector[&busy_author] == 1 && vector[&other] == 2
    });
    assert_eq!(mesh["peers"][0]["blocks"], json!({}), "{mesh}");
    is_busy.store(false, Ordering::SeqCst);
    wait_until("it goes on", &hub, |mesh| mesh["self"]["version_vector"][&busy_author] == 3);
}

#[test]
fn what_one_peer_gave_back_is_not_shown_while_another_has_more() {
    let hub = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1").start();
    hub.append("mine", "since");
    let vector = || hub.get("/sync/version_vector").json();
    let own = vector()["replica_id"].as_str().expect("an identity").to_owned();
    let good = replica('a');
    // Both hold events of this hub that it lacks, one of them more than the other; and that one keeps it waiting.
    let (is_asked, may_answer) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let peer = |digit: char, most: i64| {
        let (own, good) = (own.clone(), good.clone());
        let (is_asked, may_answer) = (Arc::clone(&is_asked), Arc::clone(&may_answer));
        ForeignHub::start(move |target: &str| {
            let waits = most == 3;
            if target.starts_with("/sync/version_vector") {
                // The other speaks once the first repair is under way.
                if !waits && !is_asked.load(Ordering::SeqCst) {
                    return (503, b"{}".to_vec());
                }
                let vector = json!({own.as_str(): most, good.as_str(): 1});
                return ok(&json!({"replica_id": replica(digit), "version_vector": vector}));
            }
            let (origin, after) = (parameter(target, "origin"), parameter(target, "after"));
            let (after, limit) = (after.parse().unwrap_or(0), parameter(target, "limit"));
            if origin == own && waits && limit != "1" {
                is_asked.store(true, Ordering::SeqCst);
                while !may_answer.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            let last = if origin == own { most } else { 1 };
            let id = |n: i64| format!("evt_20261130T140000_{}{n:08}", if origin == own { "0wn0" } else { "g00d" });
            let events: Vec<Value> = (after + 1..=last).map(|n| told(&origin, n, json!({"id": id(n)}))).collect();
            let events = if limit == "1" { events.into_iter().take(1).collect() } else { events };
            ok(&json!({"origin": origin, "events": events, "count": events.len()}))
        })
    };
    let (slow, quick) = (peer('0', 3), peer('1', 2));
    write_peers(&hub.place().palace(), &[("slow", slow.url()), ("quick", quick.url())]);
    // What the quick one has of others came, so it was compared before.
    wait_until("the quick one was heard", &hub, |mesh| mesh["self"]["version_vector"][&good] == 1);
    let told = vector();
    may_answer.store(true, Ordering::SeqCst);
    assert_eq!(told["version_vector"][&own], Value::Null, "the third event is not here: {told}");
    wait_until("all came back", &hub, |mesh| mesh["restore"]["state"] == "repaired");
    let events = hub.get(&format!("/sync/ops?origin={own}")).json()["events"].clone();
    let numbers: Vec<i64> =
        events.as_array().expect("a list").iter().filter_map(|e| e["origin_seq"].as_i64()).collect();
    assert_eq!(numbers, [1, 2, 3, 4], "{events}");
}
