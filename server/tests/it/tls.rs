//! TLS by the hub itself: what it shows, what it refuses, and how a renewed certificate comes in without a restart.
//!
//! The certificates in `tests/tls` come from two authorities, so that a client that trusts one of them tells which was shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli_child::Running;
use crate::hub::{Hub, TOKEN, event, tool_call};
use crate::patience::wait_until;
use crate::place::Place;
use crate::sync_mesh::write_peers;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// A certificate and its key in a folder of one test, where they can be replaced.
struct Pair {
    cert: PathBuf,
    key: PathBuf,
    _place: std::sync::Arc<Place>,
}

impl Pair {
    fn new(name: &str) -> Self {
        let place = Place::new();
        let pair = Self { cert: place.home().join("hub.pem"), key: place.home().join("hub.key"), _place: place };
        pair.replace(&format!("{name}.pem"), &format!("{name}.key"));
        pair
    }

    /// Puts other files in the places of both, as a program does that renews certificates: aside, then renamed.
    fn replace(&self, cert: &str, key: &str) {
        for (from, to) in [(cert, &self.cert), (key, &self.key)] {
            let aside = to.with_extension("new");
            fs::copy(fixture(from), &aside).expect("the folder is writable");
            fs::rename(&aside, to).expect("the folder is writable");
        }
    }

    fn start(&self) -> Hub {
        let leaked = |path: &Path| -> &'static str { path.to_string_lossy().into_owned().leak() };
        let builder = Hub::builder().arg("--tls-cert").arg(leaked(&self.cert));
        builder.arg("--tls-key").arg(leaked(&self.key)).start()
    }
}

/// A client that trusts one of the authorities and nobody else. Every request is a new connection.
fn client(authority: &str) -> ureq::Agent {
    let pem = fs::read(fixture(&format!("{authority}-authority.pem"))).expect("it lies with the tests");
    let root = ureq::tls::Certificate::from_pem(&pem).expect("a certificate").to_owned();
    let tls = ureq::tls::TlsConfig::builder().root_certs(ureq::tls::RootCerts::new_with_certs(&[root])).build();
    let config = ureq::Agent::config_builder().tls_config(tls).http_status_as_error(false).max_redirects(0).proxy(None);
    config.timeout_global(Some(Duration::from_secs(30))).max_idle_connections(0).build().new_agent()
}

fn healthz(hub: &Hub, authority: &str) -> Result<u16, ureq::Error> {
    let url = format!("https://localhost:{}/healthz", hub.port());
    client(authority).get(url).call().map(|response| response.status().as_u16())
}

#[test]
fn agents_and_browsers_are_served_over_tls() {
    let pair = Pair::new("first");
    let hub = pair.start();
    let origin = format!("https://localhost:{}", hub.port());
    assert!(hub.stdout().contains("listening on https://127.0.0.1:"), "{}", hub.stdout());
    assert!(hub.stdout().contains("https://127.0.0.1:") && !hub.stdout().contains("http://"), "{}", hub.stdout());

    let call = tool_call("mempalace_event_append", event("s", "sealed"));
    let bearer = format!("Bearer {TOKEN}");
    let post = client("first").post(format!("{origin}/mcp")).header("Authorization", &bearer);
    let mut answer = post.content_type("application/json").send(&call).expect("the hub answers");
    let text = answer.body_mut().read_to_string().expect("a whole answer");
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(crate::hub::tool_answer(&answer)["event"]["body"], "sealed");

    let sign_in = client("first").post(format!("{origin}/sign-in")).header("Origin", &origin);
    let signed_in = sign_in.send_form([("token", TOKEN)]).expect("the hub answers");
    assert_eq!(signed_in.status(), 303);
    let cookie = signed_in.headers()["set-cookie"].to_str().expect("text");
    assert!(cookie.contains("; Secure"), "{cookie}");
    let foreign = client("first").post(format!("{origin}/sign-in")).header("Origin", origin.replace("https", "http"));
    assert_eq!(foreign.send_form([("token", TOKEN)]).expect("the hub answers").status(), 403);
    assert!(healthz(&hub, "second").is_err(), "whoever trusts another authority is not served");
}

#[test]
fn plain_http_on_its_port_is_told_so() {
    let pair = Pair::new("first");
    let hub = pair.start();
    let answer = hub.request("GET", "/healthz").send();
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.json()["hint"].as_str().is_some_and(|hint| hint.contains("https://")), "{answer:?}");
}

#[test]
fn a_renewed_certificate_is_shown_and_a_broken_one_is_not() {
    let pair = Pair::new("first");
    let hub = pair.start();
    assert_eq!(healthz(&hub, "first").expect("served"), 200);
    pair.replace("second.pem", "second.key");
    wait_until("the second certificate is shown", || healthz(&hub, "second").is_ok());
    assert!(healthz(&hub, "first").is_err(), "the first is gone");

    let warnings = || hub.place().stderr().matches("the old one stays").count();
    assert_eq!(warnings(), 0, "{}", hub.place().stderr());
    // The key does not belong to it.
    pair.replace("first.pem", "second.key");
    wait_until("the wrong pair is named", || warnings() == 1);
    assert_eq!(healthz(&hub, "second").expect("the one before goes on"), 200);
    fs::write(&pair.cert, "-----BEGIN CERTIFICATE-----\nhalf of it").expect("writable");
    wait_until("the broken file is named", || warnings() == 2);
    assert_eq!(healthz(&hub, "second").expect("the one before goes on"), 200);
    fs::remove_file(&pair.key).expect("it was there");
    wait_until("the missing file is named", || warnings() == 3);
    assert_eq!(healthz(&hub, "second").expect("the one before goes on"), 200);

    pair.replace("first.pem", "first.key");
    wait_until("the first certificate is shown again", || healthz(&hub, "first").is_ok());
}

#[test]
fn what_cannot_be_used_stops_the_start_and_is_named() {
    let leaked = |path: PathBuf| -> &'static str { path.to_string_lossy().into_owned().leak() };
    let (cert, key) = (leaked(fixture("first.pem")), leaked(fixture("first.key")));
    let (other, missing) = (leaked(fixture("second.key")), leaked(fixture("none.pem")));
    for (args, named) in [
        (vec!["--tls-cert", cert], "--tls-key"),
        (vec!["--tls-key", key], "--tls-cert"),
        (vec!["--tls-cert", missing, "--tls-key", key], "none.pem"),
        (vec!["--tls-cert", cert, "--tls-key", missing], "none.pem"),
        (vec!["--tls-cert", cert, "--tls-key", other], "second.key"),
        (vec!["--tls-cert", key, "--tls-key", key], "first.key"),
    ] {
        let builder = args.iter().fold(Hub::builder(), |builder, arg| builder.arg(arg));
        let Err(refused) = builder.try_start() else { panic!("it starts with {args:?}") };
        assert!(refused.status.is_some_and(|status| !status.success()), "{args:?}: {refused:?}");
        assert!(refused.said.contains(named) && !refused.said.contains("panicked"), "{args:?}: {refused:?}");
    }
}

#[test]
fn local_programs_see_how_to_speak_to_it() {
    let pair = Pair::new("first");
    let hub = pair.start();
    let server = hub.place().home().join(".mempalace/server");
    let note = fs::read_dir(server).expect("the hub made it").flatten().next().expect("one hub");
    let note = fs::read(note.path().join("serverinfo.json")).expect("it is there");
    let note: Value = serde_json::from_slice(&note).expect("JSON");
    assert_eq!(note["scheme"], json!("https"));
}

#[test]
fn commands_and_the_bridge_speak_to_it_with_an_authority_of_ones_own() {
    let pair = Pair::new("first");
    let hub = pair.start();
    let place = hub.place();
    let url = format!("https://localhost:{}", hub.port());
    let run = |args: &[&str], ca: Option<&Path>| {
        let mut command = place.command();
        command.env("LOGGIA_TOKEN", TOKEN).arg("--palace").arg(place.palace()).args(args).stdin(Stdio::null());
        ca.map(|ca| command.env("LOGGIA_CA", ca));
        command.output().expect("it runs")
    };
    let (first, second) = (fixture("first-authority.pem"), fixture("second-authority.pem"));
    let ca = first.to_str().expect("UTF-8");
    let append =
        ["logstream", "append", "--url", &url, "--type", "t.x", "--stream", "s", "--room", "r", "--from-agent", "a"];
    let with_flag = [&append[..], &["--body", "by flag", "--ca", ca]].concat();
    let with_flag = run(&with_flag, None);
    assert!(with_flag.status.success(), "{with_flag:?}");
    let by_variable = run(&[&append[..], &["--body", "by variable"]].concat(), Some(&first));
    assert!(by_variable.status.success(), "{by_variable:?}");
    for ca in [None, Some(second.as_path())] {
        let refused = run(&[&append[..], &["--body", "never"]].concat(), ca);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(1) && said.contains("--ca"), "{refused:?}");
    }
    for (args, named) in
        [(vec!["--ca", "none.pem"], "none.pem"), (vec!["--ca", pair.key.to_str().expect("UTF-8")], "certificate")]
    {
        let refused = run(&[&append[..], &["--body", "never"], &args].concat(), None);
        assert!(refused.status.code() == Some(1), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(named), "{refused:?}");
    }
    // The bridge finds it by the palace.
    let mut command = place.command();
    command.env("LOGGIA_TOKEN", TOKEN).arg("--palace").arg(place.palace()).args(["mcp", "--ca", ca]);
    let mut bridge = Running::spawn(command);
    bridge.say(&tool_call("mempalace_event_list", json!({})));
    let listed = crate::hub::tool_answer(&bridge.json());
    let bodies: Vec<&Value> = listed["events"].as_array().expect("events").iter().map(|event| &event["body"]).collect();
    assert!(
        bodies.len() == 2 && bodies.contains(&&json!("by flag")) && bodies.contains(&&json!("by variable")),
        "{listed}"
    );
    bridge.hang_up();
    assert_eq!(bridge.end(), (Some(0), vec![]));
}

#[test]
fn a_hub_pulls_from_one_whose_authority_it_was_told_and_from_no_other() {
    let pair = Pair::new("first");
    let there = pair.start();
    let origin = format!("https://localhost:{}", there.port());
    let call = tool_call("mempalace_event_append", event("s", "sealed"));
    let post = client("first").post(format!("{origin}/mcp")).header("Authorization", format!("Bearer {TOKEN}"));
    assert_eq!(post.content_type("application/json").send(&call).expect("the hub answers").status(), 200);

    let pulls = |authority: Option<&str>| {
        let builder = Hub::builder().var("LOGGIA_SYNC_INTERVAL_S", "0.1");
        let builder = match authority {
            Some(name) => {
                let path = fixture(&format!("{name}-authority.pem")).to_string_lossy().into_owned();
                builder.arg("--peer-ca").arg(path.leak())
            }
            None => builder,
        };
        let hub = builder.start();
        write_peers(&hub.place().palace(), &[("there", origin.clone())]);
        hub
    };
    let peer = |hub: &Hub| hub.get("/sync/peers").json()["peers"][0].clone();
    let good = pulls(Some("first"));
    wait_until("the event comes over https", || {
        good.call("mempalace_event_list", json!({"stream": "s"}))["count"] == 1
    });
    assert_eq!(peer(&good)["reachable"], true, "{}", peer(&good));
    for authority in [Some("second"), None] {
        let bad = pulls(authority);
        wait_until("the certificate is refused", || peer(&bad)["last_error"].is_string());
        let told = peer(&bad)["last_error"].to_string();
        assert!(told.contains("certificate"), "{authority:?}: {told}");
        assert_eq!(bad.call("mempalace_event_list", json!({"stream": "s"}))["count"], 0, "{authority:?}");
    }
}
