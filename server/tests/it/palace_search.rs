//! Search without a model: by words, in every script, and nothing in a query is an operator.

use serde_json::{Value, json};

use crate::cli::json_of;
use crate::hub::Hub;
use crate::place::Place;

fn add(hub: &Hub, room: &str, content: &str, source: &str) {
    let arguments = json!({"wing": "w", "room": room, "content": content, "source_file": source});
    let answer = hub.call("mempalace_add_drawer", arguments);
    assert_eq!(answer["success"], true, "{answer}");
}

/// The rooms of the hits, in their order.
#[track_caller]
fn rooms(hub: &Hub, arguments: Value) -> Vec<String> {
    let answer = hub.call("mempalace_search", arguments);
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("no results: {answer}"));
    results.iter().map(|hit| hit["room"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn words_are_found_in_every_script_and_form() {
    let hub = Hub::start();
    add(&hub, "ops", "Postgres connection pool exhausted after deploy", "");
    add(&hub, "home", "Großmutter bakes sourdough bread on Sunday", "");
    add(&hub, "zh", "数据库连接池已耗尽", "");
    add(&hub, "code", "call foo::bar_baz(x) in src/lib.rs", "");
    for (query, room) in [
        ("why are the database CONNECTIONS exhausted?", "ops"),
        ("baking", "home"),
        ("grossmutter OR großmutter", "home"),
        ("数据库", "zh"),
        ("耗尽", "zh"),
        ("foo::bar_baz", "code"),
        ("src/lib.rs", "code"),
    ] {
        assert_eq!(rooms(&hub, json!({"query": query, "limit": 1})), [room], "{query}");
    }
    assert_eq!(rooms(&hub, json!({"query": "submarine"})), [""; 0], "a miss stays empty");
    assert_eq!(rooms(&hub, json!({"query": "bread deploy", "room": "ops"})), ["ops"]);
    assert_eq!(rooms(&hub, json!({"query": "bread", "before": "2020-01-01"})), [""; 0]);
}

#[test]
fn nothing_in_a_query_is_an_operator() {
    let hub = Hub::start();
    add(&hub, "r", "plain words here", "");
    for odd in [
        "",
        " ",
        "\"",
        "\"\"",
        "'",
        "*",
        "(",
        ")",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b)",
        "a:",
        "content:plain",
        "-",
        "^",
        "+",
        "{}",
        "a*",
        "\\",
        "%",
        "_",
        ";",
        "--",
        "/*",
        "\u{200b}",
        "😀",
        "\u{fffd}",
        "plain\" OR \"x",
        "x NOT plain",
        "(plain",
        "a AND",
        "\t\n",
        "…",
        "\u{1}",
        "rowid:1",
        "drawers_fts",
        "rank",
        "?",
    ] {
        let answer = hub.call("mempalace_search", json!({"query": odd}));
        assert!(answer["results"].is_array() && answer["error"].is_null(), "{odd:?}: {answer}");
    }
    assert_eq!(rooms(&hub, json!({"query": "x NOT plain"})), ["r"]);
    assert_eq!(rooms(&hub, json!({"query": "plain\u{0}words"})), ["r"]);
}

#[test]
fn the_index_follows_changes_and_deletions() {
    let hub = Hub::start();
    add(&hub, "r", "walrus", "");
    let found = hub.call("mempalace_search", json!({"query": "walrus"}));
    let id = found["results"][0]["drawer_id"].clone();
    hub.call("mempalace_update_drawer", json!({"drawer_id": id, "content": "penguin"}));
    assert_eq!(rooms(&hub, json!({"query": "walrus"})), [""; 0]);
    assert_eq!(rooms(&hub, json!({"query": "penguin"})), ["r"]);
    hub.call("mempalace_delete_drawer", json!({"drawer_id": id}));
    assert_eq!(rooms(&hub, json!({"query": "penguin"})), [""; 0]);
}

#[test]
fn the_answer_says_what_it_rests_on() {
    let hub = Hub::start();
    let long = format!("{}\nthe pool is exhausted", "x".repeat(900));
    add(&hub, "r", &long, "/a/b/notes.md");
    let query = format!("{}\nwhy was the pool exhausted?", "chatter that goes on ".repeat(20));
    let answer = hub.call("mempalace_search", json!({"query": query, "wing": "w", "context": "c"}));
    assert_eq!(answer["query"], "why was the pool exhausted?");
    assert_eq!(answer["sanitizer"]["method"], "question_extraction");
    assert_eq!(answer["context_received"], true);
    assert_eq!(answer["vector_disabled"], true);
    assert_eq!(answer["filters"]["wing"], "w");
    let hit = &answer["results"][0];
    assert_eq!((&hit["source_file"], &hit["source_path"]), (&json!("notes.md"), &json!("/a/b/notes.md")));
    assert!(
        hit["text"].as_str().is_some_and(|t| t.ends_with("exhausted") && t.len() < 200),
        "the chunk that fits: {hit}"
    );
    let whole = hub.call("mempalace_get_drawer", json!({"drawer_id": hit["drawer_id"]}));
    assert_eq!(whole["content"], long, "and the id gives the whole");
    assert!(hit["distance"].is_null() && hit["bm25_score"].as_f64().is_some_and(|s| s > 0.0), "{hit}");
}

#[test]
fn the_same_text_from_several_sources_is_one_hit() {
    let hub = Hub::start();
    let text = "the licence of this program says that everybody may use it ".repeat(3);
    add(&hub, "a", &text, "/x/LICENSE");
    add(&hub, "b", &text, "/y/LICENSE");
    add(&hub, "c", &text, "");
    let answer = hub.call("mempalace_search", json!({"query": "licence"}));
    let results = answer["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2, "{answer}");
    let folded = results.iter().find(|r| r["also_in"].is_array()).expect("one holds the copy");
    assert_eq!(folded["also_in"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_identical_text_is_a_duplicate_without_a_model() {
    let hub = Hub::start();
    let long = "pool ".repeat(400);
    add(&hub, "r", &long, "");
    let check = |content: &str, threshold: f64| {
        hub.call("mempalace_check_duplicate", json!({"content": content, "threshold": threshold}))
    };
    let found = check(&long, 0.9);
    assert_eq!((&found["is_duplicate"], &found["matches"][0]["similarity"]), (&json!(true), &json!(1.0)), "{found}");
    assert_eq!(check(&long, 1.5)["is_duplicate"], false);
    assert_eq!(check(&long[..long.len() - 1], 0.9)["is_duplicate"], false);
    assert_eq!(check("", 0.9), json!({"is_duplicate": false, "matches": []}));
}

#[test]
fn the_first_search_already_says_that_the_model_is_damaged() {
    let place = Place::new();
    let folder = place.palace().with_file_name("models").join("all-MiniLM-L6-v2");
    std::fs::create_dir_all(&folder).expect("a new folder");
    // By their names and sizes they are the model's.
    for (file, bytes) in [("config.json", 7), ("model.safetensors", 90_868_376), ("tokenizer.json", 466_247)] {
        let file = std::fs::File::create(folder.join(file)).expect("a new file");
        file.set_len(bytes).expect("zeros take no room");
    }
    let said = |found: &Value| {
        assert_eq!((&found["vector_disabled"], &found["results"]), (&json!(true), &json!([])), "{found}");
        assert!(found["fallback_reason"].as_str().is_some_and(|why| why.contains("config.json")), "{found}");
    };
    said(&json_of(&place.cli(&["search", "greenhouse", "--json"], b"")));
    // The palace holds nothing, so that nobody else has used the model.
    let mut hub = Hub::builder().at(&place).start();
    said(&hub.call("mempalace_search", json!({"query": "greenhouse"})));
    hub.restart();
    let page = hub.request("GET", "/palace?q=greenhouse").without("Authorization").header("Cookie", &hub.session());
    let page = page.send().text();
    assert!(page.contains("not by meaning") && page.contains("config.json"), "{page}");
}
