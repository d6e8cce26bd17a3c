//! Tokens and sessions without a hub: their lives, their rules, and what another process changes.

use super::*;

const BOOTSTRAP: &str = "a-bootstrap-token-of-ours";

fn open(dir: &tempfile::TempDir, bootstrap: Option<&str>) -> Tokens {
    Tokens::open(dir.path(), bootstrap).expect("opened")
}

fn new_token(name: &str) -> NewToken {
    NewToken { name: name.to_owned(), scopes: vec![Scope::Write], ..NewToken::default() }
}

fn refusal<T>(result: Result<T, TokenError>) -> Refusal {
    match result.err().expect("refused") {
        TokenError::Refused(refusal) | TokenError::NotFound(refusal) => refusal,
        TokenError::Auth(error) => panic!("{error}"),
    }
}

#[test]
fn the_first_start_mints_one_token_and_stores_only_its_hash() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    let secret = tokens.mint_first().expect("asked").expect("minted");
    assert!(secret.starts_with(PREFIX) && secret.len() == PREFIX.len() + 64);
    assert!(tokens.bearer(&secret).expect("known").may(Scope::Write));
    assert_eq!(tokens.bearer("lg_other"), None);
    drop(tokens);
    let again = open(&dir, None);
    assert_eq!(again.mint_first().expect("asked"), None);
    assert!(again.bearer(&secret).is_some());
    drop(again);
    for entry in std::fs::read_dir(dir.path()).expect("dir") {
        let bytes = std::fs::read(entry.expect("entry").path()).expect("read");
        assert!(!bytes.windows(secret.len()).any(|w| w == secret.as_bytes()), "the secret is on disk");
    }
}

#[test]
fn a_link_works_once() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, Some(BOOTSTRAP));
    let code = tokens.new_link().expect("made");
    assert_eq!(tokens.redeem_link("guess").expect("asked"), None);
    let session = tokens.redeem_link(&code).expect("asked").expect("valid");
    assert_eq!(tokens.redeem_link(&code).expect("asked"), None);
    assert_eq!(tokens.session(&session), Some(Identity::admin("local")));
    tokens.sign_out(&session).expect("ended");
    assert_eq!(tokens.session(&session), None);
}

#[test]
fn a_link_works_for_ten_minutes() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, Some(BOOTSTRAP));
    let code = tokens.new_link().expect("made");
    let Some(long_ago) = Instant::now().checked_sub(LINK_TTL) else { return };
    lock(&tokens.link).as_mut().expect("made").made = long_ago;
    assert_eq!(tokens.redeem_link(&code).expect("asked"), None);
}

#[test]
fn a_session_ends_with_its_token() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, Some(BOOTSTRAP));
    let session = tokens.sign_in(BOOTSTRAP).expect("asked").expect("valid");
    assert!(tokens.session(&session).is_some());
    let mac = tokens.create(&new_token("mac"), "test").expect("made");
    let of_mac = tokens.sign_in(&mac.secret).expect("asked").expect("valid");
    assert_eq!(tokens.session(&of_mac).expect("known").name, "mac");
    tokens.revoke("mac").expect("revoked");
    assert_eq!(tokens.session(&of_mac), None);
    assert_eq!(tokens.bearer(&mac.secret), None);
    drop(tokens);
    let other = open(&dir, Some("another-bootstrap-token"));
    assert_eq!(other.session(&session), None);
}

#[test]
fn names_are_unique_among_the_living() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    let first = tokens.create(&new_token("mac"), "test").expect("made");
    assert_eq!(refusal(tokens.create(&new_token(" mac "), "test")).message, "name 'mac' is a living token's");
    tokens.revoke(&first.prefix).expect("by its prefix");
    let second = tokens.create(&new_token("mac"), "test").expect("the name is free again");
    let states: Vec<(State, String)> = tokens.list().expect("list").into_iter().map(|t| (t.state, t.id)).collect();
    assert_eq!(states, [(State::Active, second.id), (State::Revoked, first.id)]);
    assert_eq!(refusal(tokens.revoke("nobody")).message, "token 'nobody' not found");
    let pasted = refusal(tokens.revoke(&first.secret)).message;
    assert!(!pasted.contains(&first.secret), "{pasted}");
}

#[test]
fn a_rotated_token_opens_until_the_overlap_is_over() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    let new = NewToken {
        agents: vec!["mac:claude".to_owned()],
        streams: vec!["project/*".to_owned()],
        expires: "30d".to_owned(),
        ..new_token("mac")
    };
    let old = tokens.create(&new, "test").expect("made");
    let next = tokens.rotate("mac", Duration::from_hours(1), "test").expect("rotated");
    assert_eq!(next.expires_at, old.expires_at);
    assert_eq!(tokens.bearer(&next.secret), tokens.bearer(&old.secret), "the same rights");
    assert!(tokens.bearer(&old.secret).is_some());
    let list = tokens.list().expect("list");
    assert_eq!(list.iter().map(|t| t.state).collect::<Vec<_>>(), [State::Active, State::Replaced]);
    assert_eq!(list[1].replaced_by.as_deref(), Some(next.id.as_str()));
    let third = tokens.rotate("mac", Duration::ZERO, "test").expect("rotated");
    assert_eq!(tokens.bearer(&next.secret), None, "without an overlap the old one is over at once");
    assert_eq!(tokens.revoke("mac").expect("revoked").len(), 2, "the first one, in its overlap, goes with the name");
    assert_eq!((tokens.bearer(&third.secret), tokens.bearer(&old.secret)), (None, None));
    assert!(refusal(tokens.rotate("mac", Duration::ZERO, "test")).message.contains("over or replaced already"));
}

#[test]
fn what_could_undo_a_limit_is_not_given_with_it() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    for scope in [Scope::Admin, Scope::Replicate] {
        let bound = NewToken { scopes: vec![scope], agents: vec!["a".to_owned()], ..new_token("x") };
        let narrow = NewToken { scopes: vec![scope], streams: vec!["s*".to_owned()], ..new_token("x") };
        for (new, field) in [(bound, "agent"), (narrow, "stream")] {
            assert_eq!(refusal(tokens.create(&new, "test")).field, field, "{scope:?}");
        }
    }
    let without = NewToken { scopes: Vec::new(), ..new_token("x") };
    assert_eq!(refusal(tokens.create(&without, "test")).field, "scope");
}

#[test]
fn a_session_whose_token_is_over_is_open_nowhere() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    let mac = tokens.create(&new_token("mac"), "test").expect("made");
    let session = tokens.sign_in(&mac.secret).expect("asked").expect("valid");
    tokens.conn().execute("UPDATE sessions SET expires_at = '2998-01-01T00:00:00Z'", []).expect("set");
    for (ends, is_open) in [("2997-01-01T00:00:00Z", true), ("2020-01-01T00:00:00Z", false)] {
        let conn = tokens.conn();
        conn.execute("UPDATE tokens SET expires_at = ?1", [ends]).expect("set");
        tokens.reload(&conn).expect("read");
        drop(conn);
        assert_eq!(tokens.session(&session).is_some(), is_open);
        let shown: Vec<String> = tokens.sessions().expect("list").into_iter().map(|s| s.expires_at).collect();
        assert_eq!(shown, if is_open { vec![ends.to_owned()] } else { Vec::new() });
    }
}

#[test]
fn what_another_process_changes_is_seen_at_the_next_look() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (hub, command) = (open(&dir, None), open(&dir, None));
    let mut changes = hub.changes();
    let made = command.create(&new_token("mac"), "test").expect("made");
    assert!(hub.bearer(&made.secret).is_some(), "who is not known is looked for");
    assert!(changes.has_changed().expect("open"));
    changes.mark_unchanged();
    hub.look().expect("looked");
    assert!(!changes.has_changed().expect("open"), "nothing happened");
    command.revoke("mac").expect("revoked");
    hub.look().expect("looked");
    assert_eq!(hub.bearer(&made.secret), None);
    assert!(changes.has_changed().expect("open"));
}

#[test]
fn the_last_use_is_written_down_and_outlives_a_reload() {
    let dir = tempfile::tempdir().expect("temp dir");
    let tokens = open(&dir, None);
    let made = tokens.create(&new_token("mac"), "test").expect("made");
    let last_used = |tokens: &Tokens| tokens.list().expect("list").pop().and_then(|t| t.last_used_at);
    assert_eq!(last_used(&tokens), None);
    tokens.bearer(&made.secret).expect("known");
    tokens.create(&new_token("other"), "test").expect("a reload");
    let used = last_used(&tokens).expect("known in this process");
    tokens.close();
    assert_eq!(last_used(&open(&dir, None)), Some(used));
}

#[test]
fn a_token_of_another_process_is_known_at_once_whatever_was_noticed() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (hub, other) = (open(&dir, Some(BOOTSTRAP)), open(&dir, Some(BOOTSTRAP)));
    let mac = other.create(&new_token("mac"), "test").expect("made");
    // As if the hub had noticed the other process without reading what it wrote.
    let noticed = known::data_version(&hub.conn()).expect("read");
    hub.known.write().expect("nobody panics").data_version = noticed;
    assert_eq!(hub.bearer(&mac.secret).expect("known").name, "mac");
    other.revoke("mac").expect("revoked");
    hub.look().expect("looked");
    assert_eq!(hub.bearer(&mac.secret), None);
    assert!(!hub.look_for(&sha256_hex(mac.secret.as_bytes())).expect("asked"), "what was revoked is not read anew");
}

#[test]
fn tokens_made_beside_a_busy_hub_are_known_at_once() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (hub, other) = (open(&dir, Some(BOOTSTRAP)), open(&dir, Some(BOOTSTRAP)));
    let first = other.create(&new_token("first"), "test").expect("made");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    hub.look().expect("looked");
                    assert!(hub.bearer(&first.secret).is_some());
                    assert_eq!(hub.bearer("lg_guess"), None);
                    hub.write_use();
                }
            });
        }
        let unknown: Vec<String> = (0..100)
            .map(|n| format!("n{n}"))
            .filter(|name| hub.bearer(&other.create(&new_token(name), "test").expect("made").secret).is_none())
            .collect();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(unknown.is_empty(), "{unknown:?}");
    });
}
