//! Lines of the palace's write log as a reader understands them: what was done to what, by whom, and where it is to be seen.

use loggia_app::backend::memory::{Change, Target};
use serde_json::Value;

use crate::palace::browse::Written;

/// A line as a change; `None` for upkeep that changes nothing that a page shows.
pub(super) fn change(written: &Written) -> Option<Change> {
    let text = |key: &str| written.params.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| written.params.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let place = || format!("{} / {}", text("wing"), text("room"));
    let fact = |object: &str| format!("{} {} {}", text("subject"), text("predicate"), text(object));
    let drawer = || Some(Target::Drawer(text("drawer_id")));
    let about = || Some(Target::Entity(text("subject")));
    let mut other = String::new();
    let (verb, noun, what, target) = match written.operation.as_str() {
        "add_drawer" => ("filed", "a drawer in {it}", place(), Some(Target::Room(text("wing"), text("room")))),
        "update_drawer" => ("changed", "the drawer {it}", text("drawer_id"), drawer()),
        "delete_drawer" => ("deleted", "the drawer {it}", text("drawer_id"), None),
        "delete_drawers" => ("deleted", "{it} drawers", list("drawer_ids").to_string(), None),
        "delete_by_source" => ("deleted", "all drawers from {it}", text("source_file"), None),
        "diary_write" => ("wrote", "a diary entry, topic {it}", text("topic"), Some(Target::Diary(text("agent_name")))),
        "create_tunnel" => {
            let end = |key: &str| {
                let part = |name| written.params.get(key)?.get(name)?.as_str().map(str::to_owned);
                part("wing").zip(part("room")).unwrap_or_default()
            };
            let (from, to) = (end("source"), end("target"));
            other = format!("{} / {}", to.0, to.1);
            let what = format!("{} / {}", from.0, from.1);
            ("dug", "a tunnel from {it} to {other}", what, Some(Target::Room(from.0, from.1)))
        }
        "delete_tunnel" => ("closed", "the tunnel {it}", text("tunnel_id"), None),
        "delete_hallway" => ("closed", "the hallway {it}", text("hallway_id"), None),
        "kg_add" => ("noted", "{it}", fact("object"), about()),
        "kg_invalidate" => ("ended", "{it}", fact("object"), about()),
        "kg_supersede" => {
            other = text("old_object");
            ("replaced", "{it}, before {other}", fact("new_object"), about())
        }
        "import_mempalace" => ("imported", "{it}", text("what"), None),
        _ => return None,
    };
    let by = ["added_by", "agent_name"].iter().map(|key| text(key)).find(|name| !name.is_empty());
    Some(Change { at: written.at.clone(), verb, noun, what, other, target, by })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(operation: &str, params: &Value, sentence: &str, target: Option<&Target>) {
        let written = Written {
            at: "2026-11-30T14:02:31.000001".to_owned(),
            operation: operation.to_owned(),
            params: params.clone(),
        };
        let change = change(&written).expect(operation);
        let noun = change.noun.replace("{it}", &change.what).replace("{other}", &change.other);
        assert_eq!(format!("{} {noun}", change.verb), sentence);
        assert_eq!(change.target.as_ref(), target);
    }

    #[test]
    fn changes_are_told_in_words() {
        check(
            "add_drawer",
            &json!({"wing": "w", "room": "r", "content": "[1 characters]", "added_by": "a"}),
            "filed a drawer in w / r",
            Some(&Target::Room("w".to_owned(), "r".to_owned())),
        );
        check(
            "kg_supersede",
            &json!({"subject": "S", "predicate": "p", "old_object": "A", "new_object": "B"}),
            "replaced S p B, before A",
            Some(&Target::Entity("S".to_owned())),
        );
        check(
            "create_tunnel",
            &json!({"source": {"wing": "a", "room": "b"}, "target": {"wing": "c", "room": "d"}, "label": ""}),
            "dug a tunnel from a / b to c / d",
            Some(&Target::Room("a".to_owned(), "b".to_owned())),
        );
        check("delete_drawers", &json!({"drawer_ids": ["a", "b"]}), "deleted 2 drawers", None);
    }

    #[test]
    fn upkeep_is_no_change() {
        for operation in ["follow_tunnels", "hook_settings", "something_new"] {
            let written = Written { at: String::new(), operation: operation.to_owned(), params: json!({}) };
            assert_eq!(change(&written), None, "{operation}");
        }
    }
}
