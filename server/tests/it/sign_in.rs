//! Sessions of a browser: the form, the one-time link, the cookie and what it opens, and the way out.

use std::time::{Duration, Instant};

use crate::hub::{Hub, TOKEN};
use crate::made::{status_of, until};
use crate::outsider;
use crate::wire::{Answer, Progress};

#[track_caller]
fn is_session_cookie(answer: &Answer) {
    let cookie = answer.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {answer:?}"));
    let parts: Vec<&str> = cookie.split(';').map(str::trim).collect();
    for wanted in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(parts.contains(&wanted), "{wanted} is missing in {cookie}");
    }
    assert!(!cookie.contains(TOKEN), "the cookie is not the token");
}

/// Whether the cookie opens what needs a session.
fn opens(hub: &Hub, cookie: &str) -> bool {
    let request = hub.request("GET", "/artifacts/art_x/raw").without("Authorization").header("Cookie", cookie);
    match request.send().status {
        404 => true,
        401 => false,
        other => panic!("unexpected status {other}"),
    }
}

#[test]
fn a_token_in_the_form_becomes_a_cookie_that_opens_the_stream() {
    let hub = Hub::start();
    let answer = hub
        .request("POST", "/sign-in")
        .without("Authorization")
        .header("Origin", &hub.origin())
        .form(&format!("token={TOKEN}"))
        .send();
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(answer.header("location").is_some_and(|l| l.starts_with('/') && !l.contains(TOKEN)), "{answer:?}");
    is_session_cookie(&answer);
    let cookie = answer.cookie().expect("it was just looked at");
    assert!(opens(&hub, &cookie));
    let mut stream =
        hub.request("GET", "/logstream/stream?stream=s").without("Authorization").header("Cookie", &cookie).open();
    hub.append("s", "hello, browser");
    assert_eq!(stream.bodies(1), ["hello, browser"]);
}

#[test]
fn a_session_survives_a_restart_of_the_hub_or_ends_cleanly() {
    let mut hub = Hub::start();
    let cookie = hub.session();
    hub.restart();
    // Either is fine; a hub that crashes or hangs on yesterday's cookie is not.
    opens(&hub, &cookie);
    assert!(opens(&hub, &hub.session()));
}

#[test]
fn whoever_holds_the_credentials_delays_nobody_but_those_who_sign_in() {
    let hub = Hub::start();
    let holder = outsider::open(&hub.place().palace().join("auth.sqlite3"));
    holder.execute_batch("BEGIN IMMEDIATE").expect("the hub is idle");
    // More than the hub has threads that serve.
    let many = 2 * std::thread::available_parallelism().map_or(8, usize::from);
    let sign_in = || {
        let request = hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin());
        request.form(&format!("token={TOKEN}")).connect()
    };
    let mut waiting: Vec<_> = (0..many).map(|_| sign_in()).collect();
    until("all of them to be there", || {
        let open = hub.get("/statusz").json()["connections"]["open"].as_u64().expect("a number");
        (open > many as u64).then_some(())
    });
    assert_eq!(status_of(&hub, "lg_guess"), 401, "who is not known waits for nobody");
    assert_eq!(hub.get("/healthz").status, 200);
    for connection in &mut waiting {
        let soon = Instant::now() + Duration::from_millis(1);
        assert_eq!(connection.read_until(soon), Progress::Nothing, "somebody signed in first");
    }
    holder.execute_batch("ROLLBACK").expect("it was ours");
    for connection in waiting {
        is_session_cookie(&connection.wait(Duration::from_mins(1)));
    }
}

#[test]
fn a_wrong_token_in_the_form_opens_nothing() {
    let hub = Hub::start();
    for form in ["token=lg_wrong", "token=", "", "x=y", "token=%ff%00", "token=lg_a&token=lg_b"] {
        let answer =
            hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin()).form(form).send();
        let to_sign_in = answer.header("location").is_some_and(|l| l.starts_with("/sign-in"));
        assert!(answer.status >= 400 || (answer.status == 303 && to_sign_in), "{form}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None, "{form}: {answer:?}");
    }
}

#[test]
fn the_form_is_refused_from_a_foreign_page() {
    let hub = Hub::start();
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let answer = hub
            .request("POST", "/sign-in")
            .without("Authorization")
            .header("Origin", origin)
            .form(&format!("token={TOKEN}"))
            .send();
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None);
    }
}

#[test]
fn the_printed_link_works_once() {
    let mut hub = Hub::start();
    let link = hub.sign_in_link();
    let follow = |hub: &Hub, link: &str| hub.request("GET", link).without("Authorization").send();
    let answer = follow(&hub, &link);
    assert_eq!(answer.status, 303, "{answer:?}");
    is_session_cookie(&answer);
    assert!(opens(&hub, &answer.cookie().expect("it was just looked at")));
    let again = follow(&hub, &link);
    assert_eq!(again.header("set-cookie"), None, "{again:?}");
    let guessed = follow(&hub, "/sign-in?code=nope");
    assert_eq!(guessed.header("set-cookie"), None, "{guessed:?}");

    hub.restart();
    let next = hub.sign_in_link();
    assert_ne!(next, link);
    assert!(follow(&hub, &link).header("set-cookie").is_none());
    assert!(follow(&hub, &next).header("set-cookie").is_some());
}

#[test]
fn a_page_without_a_session_leads_to_the_sign_in() {
    let hub = Hub::start();
    for path in ["/", "/log", "/task?id=x", "/artifact?id=x"] {
        let answer = hub.request("GET", path).without("Authorization").header("Accept", "text/html").send();
        let redirected = answer.status == 303 && answer.header("location").is_some_and(|l| l.starts_with("/sign-in"));
        let shown = [200, 401].contains(&answer.status) && answer.text().contains("name=\"token\"");
        assert!(redirected || shown, "{path}: {answer:?}");
    }
    let cookie = hub.session();
    let answer = hub.request("GET", "/").without("Authorization").header("Cookie", &cookie).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.text().contains("<html"), "{answer:?}");
}

#[test]
fn pages_cannot_be_framed_or_scripted() {
    let hub = Hub::start();
    let cookie = hub.session();
    for path in ["/", "/sign-in"] {
        let answer = hub.request("GET", path).without("Authorization").header("Cookie", &cookie).send();
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(policy.contains("script-src") && !policy.contains("'unsafe-inline' 'unsafe-eval'"), "{path}: {policy}");
        let script = policy.split(';').find(|d| d.trim().starts_with("script-src")).unwrap_or_default();
        assert!(!script.contains("'unsafe-inline'") && !script.contains("'unsafe-eval'"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        // Not `no-referrer`: with it a browser sends `Origin: null` with a form, and the sign-in would refuse its own page.
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
    }
}

#[test]
fn a_change_needs_the_cookie_and_our_origin() {
    let hub = Hub::start();
    let cookie = hub.session();
    let post = |origin: Option<&str>, cookie: Option<&str>| {
        let mut request = hub.request("POST", "/api/ask").without("Authorization");
        for (name, value) in [("Origin", origin), ("Cookie", cookie)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request.json(r#"{"question":"Overview"}"#).send()
    };
    let own = hub.origin();
    for foreign in ["https://evil.example", "null", "http://localhost:3000"] {
        assert_eq!(post(Some(foreign), Some(&cookie)).status, 403, "{foreign}");
    }
    assert_eq!(post(None, Some(&cookie)).status, 403, "a browser names its origin on every POST");
    assert_eq!(post(Some(&own), None).status, 401);
    assert_eq!(post(Some(&own), Some("loggia_session=nope")).status, 401);
    let answer = post(Some(&own), Some(&cookie));
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn an_unknown_question_of_a_page_is_a_plain_404() {
    let hub = Hub::start();
    let request = hub.request("POST", "/api/nope").without("Authorization").header("Cookie", &hub.session());
    let answer = request.header("Origin", &hub.origin()).form("").send();
    assert_eq!(answer.status, 404, "{answer:?}");
    assert!(answer.json()["error"].is_string(), "{answer:?}");
}

#[test]
fn signing_out_closes_the_session() {
    let hub = Hub::start();
    let (cookie, other) = (hub.session(), hub.session());
    let out = |origin: &str| {
        let request = hub.request("POST", "/sign-out").without("Authorization").header("Cookie", &cookie);
        request.header("Origin", origin).form("").send()
    };
    assert_eq!(out("https://evil.example").status, 403);
    assert!(opens(&hub, &cookie));
    let answer = out(&hub.origin());
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(!opens(&hub, &cookie), "the session is closed, not only the cookie forgotten");
    assert!(opens(&hub, &other), "another browser's session stays");
}
