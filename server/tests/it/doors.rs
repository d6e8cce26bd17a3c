//! Every route of the hub times everybody who may knock: what is answered to whom. A route that is added without a row here fails.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::hub::Hub;
use crate::outsider;
use crate::wire::{Progress, Request};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Who may do what, as a row says it: the status for whoever may.
#[derive(Debug, Clone, Copy)]
enum Needs {
    /// Nothing, a token neither.
    Nothing(u16),
    /// A token with this scope, or with any (`""`); a browser's session is none.
    Token(&'static str, u16),
    /// A token or a session with this scope.
    Either(&'static str, u16),
    /// A session with the scope `read`, and this one beside it; without a session, a browser goes to the sign-in page. A token is none.
    Page(&'static str, u16),
    /// A session with this scope, or with any (`""`), and our own Origin beside it. A token is none.
    Post(&'static str, u16),
}

/// A route as the router names it, and a request that meets it.
struct Row(&'static str, &'static str, &'static str, Needs);

use Needs::{Either, Nothing, Page, Post, Token};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // agents
    Row("/mcp", "POST", "/mcp", Token("", 200)),
    Row("/mcp", "GET", "/mcp", Nothing(405)),
    Row("/mcp", "DELETE", "/mcp", Nothing(405)),
    Row("/mcp/", "GET", "/mcp/", Either("read", 404)),
    Row("/mcp/{*rest}", "GET", "/mcp/x", Either("read", 404)),
    Row("/logstream/stream", "GET", "/logstream/stream", Either("read", 200)),
    Row("/logstream", "GET", "/logstream", Either("read", 404)),
    Row("/logstream/", "GET", "/logstream/", Either("read", 404)),
    Row("/logstream/{*rest}", "GET", "/logstream/x", Either("read", 404)),
    Row("/sync/version_vector", "GET", "/sync/version_vector", Either("replicate", 200)),
    Row("/sync/ops", "GET", "/sync/ops", Either("replicate", 400)),
    Row("/sync/artifact", "GET", "/sync/artifact", Either("replicate", 400)),
    Row("/sync/peers", "GET", "/sync/peers", Either("replicate", 200)),
    Row("/sync", "GET", "/sync", Either("read", 404)),
    Row("/sync/", "GET", "/sync/", Either("read", 404)),
    Row("/sync/{*rest}", "GET", "/sync/x", Either("read", 404)),
    Row("/v1/mems/write", "POST", "/v1/mems/write", Token("memory", 422)),
    Row("/v1/mems/context", "GET", "/v1/mems/context?agent_id=a&session_id=s", Either("memory", 200)),
    Row("/v1/mems/sessions", "GET", "/v1/mems/sessions", Either("memory", 200)),
    Row("/v1/mems/status", "GET", "/v1/mems/status", Either("memory", 200)),
    Row("/v1/mems/health", "GET", "/v1/mems/health", Either("memory", 200)),
    Row("/v1/mems/stream", "GET", "/v1/mems/stream", Either("memory", 200)),
    Row("/v1", "GET", "/v1", Either("read", 404)),
    Row("/v1/", "GET", "/v1/", Either("read", 404)),
    Row("/v1/{*rest}", "GET", "/v1/x", Either("read", 404)),
    // both
    Row("/artifacts/{id}/raw", "GET", "/artifacts/art_x/raw", Either("read", 404)),
    Row("/log/export", "GET", "/log/export", Either("read", 200)),
    Row("/task/report", "GET", "/task/report?id=x", Either("read", 404)),
    // whoever runs it
    Row("/audit.ndjson", "GET", "/audit.ndjson", Either("admin", 200)),
    Row("/statusz", "GET", "/statusz", Either("admin", 200)),
    Row("/metrics", "GET", "/metrics", Either("read", 200)),
    // anybody
    Row("/healthz", "GET", "/healthz", Nothing(200)),
    Row("/.well-known/{*rest}", "GET", "/.well-known/oauth-protected-resource", Nothing(404)),
    Row("/register", "POST", "/register", Nothing(404)),
    Row("/register/{*rest}", "POST", "/register/x", Nothing(404)),
    // people
    Row("/sign-in", "GET", "/sign-in", Nothing(200)),
    Row("/sign-in", "POST", "/sign-in", Nothing(303)),
    Row("/sign-out", "POST", "/sign-out", Post("", 303)),
    // A choice that nobody need be signed in for; here an unknown one.
    Row("/language", "POST", "/language", Nothing(303)),
    Row("/task", "POST", "/task", Post("write", 422)),
    Row("/task/new", "POST", "/task/new", Post("write", 422)),
    Row("/tokens", "POST", "/tokens", Post("admin", 400)),
    Row("/agent/read", "POST", "/agent/read", Post("read", 404)),
    Row("/searches/forget", "POST", "/searches/forget", Post("read", 303)),
    Row("/artifact/viewed", "POST", "/artifact/viewed", Post("read", 422)),
    Row("/api", "GET", "/api", Either("read", 404)),
    Row("/api/", "GET", "/api/", Either("read", 404)),
    Row("/api/{*function}", "POST", "/api/nothing", Post("", 404)),
    // pages
    Row("/", "GET", "/", Page("read", 200)),
    Row("/log", "GET", "/log", Page("read", 200)),
    Row("/event", "GET", "/event?id=x", Page("read", 404)),
    Row("/task", "GET", "/task?id=x", Page("read", 404)),
    Row("/artifact", "GET", "/artifact?id=x", Page("read", 404)),
    Row("/task/new", "GET", "/task/new", Page("read", 200)),
    Row("/compare", "GET", "/compare", Page("read", 404)),
    Row("/agents", "GET", "/agents", Page("read", 200)),
    Row("/hub", "GET", "/hub", Page("read", 200)),
    Row("/agent", "GET", "/agent?id=x", Page("read", 404)),
    Row("/diary", "GET", "/diary", Page("memory", 200)),
    Row("/palace", "GET", "/palace", Page("memory", 200)),
    Row("/sessions", "GET", "/sessions", Page("memory", 200)),
    Row("/tokens", "GET", "/tokens", Page("admin", 200)),
    Row("/audit", "GET", "/audit", Page("admin", 200)),
];

/// Whether a token that was made with one scope may do something: `write` includes `read`, `admin` everything, and any nothing (`""`).
fn may(scope: &str, wanted: &str) -> bool {
    wanted.is_empty() || scope == "admin" || scope == wanted || (wanted == "read" && scope == "write")
}

impl Row {
    fn request(&self, hub: &Hub) -> Request {
        let request = hub.request(self.1, self.2).without("Authorization");
        match (self.1, self.2) {
            ("POST", "/sign-in") => request.form("token=wrong"),
            ("POST", "/mcp") => request.json(PING),
            ("POST", "/v1/mems/write") => request.json("{}"),
            ("POST", "/language") => request.form("language=xx"),
            ("POST", "/agent/read") => request.form("agent=a&event=evt_20260101T000000_0123456789ab"),
            ("POST", _) => request.form(""),
            _ => request,
        }
    }

    /// For nobody, or a token that is none any more.
    fn with_nothing(&self) -> u16 {
        match self.3 {
            Nothing(status) => status,
            Page(..) => 303,
            Token(..) | Either(..) | Post(..) => 401,
        }
    }

    /// For a token that was made with this scope.
    fn with_token(&self, scope: &str) -> u16 {
        match self.3 {
            Token(wanted, status) | Either(wanted, status) if may(scope, wanted) => status,
            Token(..) | Either(..) => 403,
            Nothing(_) | Page(..) | Post(..) => self.with_nothing(),
        }
    }

    /// For a session that such a token began.
    fn with_session(&self, scope: &str, has_origin: bool) -> u16 {
        match self.3 {
            Nothing(status) => status,
            Token(..) => 401,
            Page(_, _) if !may(scope, "read") => 303,
            Post(..) if !has_origin => 403,
            Either(wanted, status) | Page(wanted, status) | Post(wanted, status) if may(scope, wanted) => status,
            Either(..) | Page(..) | Post(..) => 403,
        }
    }
}

/// The status alone: a stream's answer does not end.
#[track_caller]
fn status(request: Request) -> u16 {
    let mut connection = request.connect();
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(line) = String::from_utf8_lossy(&connection.raw).split_once("\r\n").map(|(line, _)| line.to_owned())
        {
            return line.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status line");
        }
        assert!(connection.read_until(until) == Progress::Some, "no answer");
    }
}

/// Every route that the router is built from, as its source names them.
fn routes() -> BTreeSet<String> {
    let source = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
        std::fs::read_to_string(path).expect("a source of the server")
    };
    let lib = source("lib.rs");
    let table = lib.split("pub fn router").nth(1).and_then(|rest| rest.split("\n}\n").next()).expect("the router");
    let literal = |text: &str| text.trim_start().strip_prefix('"')?.split('"').next().map(str::to_owned);
    let mut routes: BTreeSet<String> = table.split(".route(").skip(1).filter_map(literal).collect();
    assert_eq!(
        table.matches(".merge(").count(),
        1,
        "only the pages come from elsewhere: add whatever else does to `routes`"
    );
    assert_eq!(table.matches(".nest").count(), 0, "routes are named whole");
    let web = source("web.rs");
    let pages =
        web.split("PAGES").nth(1).and_then(|rest| rest.split("= [").nth(1)).and_then(|rest| rest.split(']').next());
    routes.extend(pages.expect("the pages").split(',').filter_map(literal));
    routes
}

#[test]
fn every_route_has_a_row() {
    let known: BTreeSet<String> = ROWS.iter().map(|row| row.0.to_owned()).collect();
    let routes = routes();
    assert!(routes.len() > 30, "the router was not read: {routes:?}");
    let missing: Vec<_> = routes.difference(&known).collect();
    let gone: Vec<_> = known.difference(&routes).collect();
    assert!(missing.is_empty() && gone.is_empty(), "routes without a row: {missing:?}; rows without a route: {gone:?}");
}

fn token(hub: &Hub, name: &str, scope: &str) -> String {
    let made = hub.place().cli(&["token", "create", "--name", name, "--scope", scope, "--json"], b"");
    let made: Value = serde_json::from_slice(&made.stdout).unwrap_or_else(|e| panic!("{e}: {made:?}"));
    made["token"].as_str().expect("shown once").to_owned()
}

fn session(hub: &Hub, secret: &str) -> String {
    let request = hub.request("POST", "/sign-in").without("Authorization").header("Origin", &hub.origin());
    request.form(&format!("token={secret}")).send().cookie().expect("a sign-in gives a cookie")
}

#[test]
fn every_route_answers_everybody_as_its_row_says() {
    let hub = Hub::start();
    let scopes = ["read", "write", "memory", "replicate", "admin"];
    let tokens = scopes.map(|scope| (scope, token(&hub, scope, scope)));
    let (revoked, expired) = (token(&hub, "revoked", "admin"), token(&hub, "expired", "admin"));
    let ended = hub.place().cli(&["token", "revoke", "revoked"], b"");
    assert!(ended.status.success(), "{ended:?}");
    let auth = outsider::open(&hub.place().palace().join("auth.sqlite3"));
    let over = auth.execute("UPDATE tokens SET expires_at = '2020-01-01T00:00:00Z' WHERE name = 'expired'", []);
    assert_eq!(over, Ok(1));
    let bearer = |secret: &str| format!("Bearer {secret}");
    for secret in [&revoked, &expired] {
        let limit = Instant::now() + Duration::from_secs(20);
        while hub.request("POST", "/mcp").set("Authorization", &bearer(secret)).json(PING).send().status != 401 {
            assert!(Instant::now() < limit, "a token that is over is still known");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let sessions = tokens.each_ref().map(|(scope, secret)| (*scope, session(&hub, secret)));
    let (foreign, own) = ("https://evil.example", hub.origin());

    let mut wrong = Vec::new();
    let mut check = |row: &Row, who: &str, request: Request, expected: u16| {
        let found = status(request);
        if found != expected {
            wrong.push(format!("{} {} as {who}: {found}, not {expected}", row.1, row.2));
        }
    };
    for row in ROWS {
        let plain = || row.request(&hub);
        check(row, "nobody", plain(), row.with_nothing());
        for (scope, secret) in &tokens {
            check(row, scope, plain().header("Authorization", &bearer(secret)), row.with_token(scope));
        }
        for (who, secret) in [("a revoked token", &revoked), ("an expired token", &expired), ("a guess", &own)] {
            check(row, who, plain().header("Authorization", &bearer(secret)), row.with_nothing());
        }
        let (secret, cookie) = (&tokens[4].1, &sessions[4].1);
        let admin = || plain().header("Authorization", &bearer(secret)).header("Cookie", cookie);
        check(row, "an admin with a foreign host", admin().set("Host", "evil.example"), 403);
        check(row, "an admin on another port", admin().set("Host", "localhost:1"), 403);
        check(row, "an admin without a host", admin().without("Host"), 403);
        check(row, "an admin on a foreign page", admin().header("Origin", foreign), 403);
        check(row, "an admin on a page of nobody", admin().header("Origin", "null"), 403);
        for ((scope, cookie), (_, secret)) in sessions.iter().zip(&tokens) {
            // Signing out ends the session: that row has some of its own.
            let cookie = || if row.0 == "/sign-out" { session(&hub, secret) } else { cookie.clone() };
            let who = format!("a session with {scope}");
            let with = plain().header("Cookie", &cookie()).header("Origin", &own);
            check(row, &who, with, row.with_session(scope, true));
            let without = plain().header("Cookie", &cookie());
            check(row, &format!("{who} without an origin"), without, row.with_session(scope, false));
        }
    }
    assert!(wrong.is_empty(), "{} answers differ:\n  {}", wrong.len(), wrong.join("\n  "));
}
