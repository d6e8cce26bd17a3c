//! The tools of the diary, and the checkpoint that ends a session: diary_write, diary_read, checkpoint.

use loggia_domain::palace::{diary, name, text};
use loggia_domain::{Raw, Refusal};
use serde_json::{Map, Value, json};

use super::args::{Args, BadArguments, Kind, Param, optional, required};
use super::tool::{Answer, Effect, Tool, answer};
use crate::AppState;
use crate::palace::answers;
use crate::palace::diary::NewEntry;
use crate::palace::drawers::NewDrawer;
use crate::palace::{PalaceError, PalaceStore};
use crate::tokens::Scope;

/// How many entries are read when nothing is said, and at the most.
const DEFAULT_LAST_N: usize = 10;
const MAX_LAST_N: usize = 100;
/// From which likeness on a checkpoint's item counts as there already.
const DEDUP_THRESHOLD: f64 = 0.9;

const DIARY_WRITE_NAME: &str = "mempalace_diary_write";

/// `mempalace_diary_write`
pub const DIARY_WRITE: Tool = Tool {
    name: DIARY_WRITE_NAME,
    about: "Write an entry into your diary, for yourself in later sessions: what happened, what you learnt, what matters. AAAK is the usual notation (mempalace_get_aaak_spec); any text is kept as it is. If the answer says LockHeldByOtherProcess, nothing was stored: try again.",
    params: &[
        required("agent_name", "You, for example mac:claude:atlas; upper and lower case are one"),
        optional("entry", Kind::Text, "The text, up to 100000 characters"),
        optional("content", Kind::Text, "Another name for entry"),
        optional("topic", Kind::Text, "What it is about; default general"),
        optional("wing", Kind::Text, "Another wing than your own"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(diary_write(state, args)),
};

/// `mempalace_diary_read`
pub const DIARY_READ: Tool = Tool {
    name: "mempalace_diary_read",
    about: "Read the newest entries of a diary, newest first, each whole. Without a wing it spans all wings that the agent wrote to.",
    params: &[
        required("agent_name", "Whose diary"),
        optional("last_n", Kind::Count, "How many entries, 1 to 100; default 10"),
        optional("wing", Kind::Text, "Only this wing"),
    ],
    scope: Scope::Memory,
    effect: Effect::Reads,
    run: |state, args, _| Box::pin(diary_read(state, args)),
};

/// `mempalace_checkpoint`
pub const CHECKPOINT: Tool = Tool {
    name: "mempalace_checkpoint",
    about: "Save a session in one call: files each item that is not there already, then writes one diary entry. The answer says what was added, what was a duplicate of what, and what was refused.",
    params: &[
        Param {
            name: "items",
            kind: Kind::Objects,
            required: true,
            about: "What to file: a list of {wing, room, content}",
        },
        optional("diary", Kind::Object, "The diary entry: {agent_name, entry, topic?, wing?}"),
        optional("dedup_threshold", Kind::Number, "From which likeness on an item is a duplicate, 0 to 1; default 0.9"),
        optional("added_by", Kind::Text, "Who files the items; default the diary's agent"),
    ],
    scope: Scope::Memory,
    effect: Effect::Adds,
    run: |state, args, _| Box::pin(checkpoint(state, args)),
};

async fn diary_write(state: AppState, mut args: Args) -> Answer {
    let agent_name = args.raw("agent_name");
    let entry = match (args.value("entry"), args.value("content")) {
        (None, None) => return Err(BadArguments::missing(DIARY_WRITE_NAME, "entry").into()),
        (Some(entry), _) if !entry.is_null() => entry,
        (_, content) => content.unwrap_or_default(),
    };
    // Missing is the default; null is an answer, and a wrong one.
    let topic = args.value("topic").unwrap_or_else(|| "general".into());
    let new = new_entry(agent_name, Some(entry).into(), Some(topic).into(), args.raw("wing"))?;
    answer(&write_entry(&state.palace.store().await?, new).await?)
}

async fn diary_read(state: AppState, mut args: Args) -> Answer {
    let diarist = diary::diarist(args.raw("agent_name"))?;
    let wing = entry_wing(args.raw("wing"))?;
    let last_n = args.count("last_n", DEFAULT_LAST_N, 1, MAX_LAST_N);
    let store = state.palace.store().await?;
    let (entries, total) = store.read_diary(diarist.agent.clone(), wing, last_n).await?;
    answer(&answers::entries(&diarist.agent, &entries, total))
}

fn new_entry(agent_name: Raw, entry: Raw, topic: Raw, wing: Raw) -> Result<NewEntry, Refusal> {
    Ok(NewEntry {
        diarist: diary::diarist(agent_name)?,
        entry: text::content(entry)?,
        topic: name::required("topic", topic)?,
        wing: entry_wing(wing)?,
    })
}

/// The wing of an entry when it is said; the empty text says nothing. Agents know its refusals by the field `name`.
fn entry_wing(raw: Raw) -> Result<Option<String>, Refusal> {
    match raw {
        Raw::Absent => Ok(None),
        Raw::Text(t) if t.is_empty() => Ok(None),
        raw => name::required("name", raw).map(Some).map_err(|r| Refusal { field: "wing".to_owned(), ..r }),
    }
}

async fn write_entry(store: &PalaceStore, new: NewEntry) -> Result<Value, PalaceError> {
    let (diarist, topic) = (new.diarist.clone(), new.topic.clone());
    Ok(answers::written(&diarist, &topic, store.write_diary(new).await?))
}

async fn checkpoint(state: AppState, mut args: Args) -> Answer {
    let Some(Value::Array(items)) = args.value("items") else {
        return Err(Refusal::new("items", "items must be a list of {wing, room, content} objects").into());
    };
    let threshold = args.number("dedup_threshold").unwrap_or(DEDUP_THRESHOLD);
    let diary = args.value("diary").filter(|d| !d.is_null());
    let said =
        |value: Option<&Value>| value.and_then(Value::as_str).filter(|s| !s.trim().is_empty()).map(str::to_owned);
    let added_by = said(args.value("added_by").as_ref())
        .or_else(|| said(diary.as_ref().and_then(|d| d.get("agent_name"))))
        .unwrap_or_else(|| "checkpoint".to_owned());

    let store = state.palace.store().await?;
    let mut saved = Saved::default();
    for item in items {
        saved.file(&store, item, threshold, &added_by).await;
    }
    let mut result = json!({"added": saved.added, "duplicates": saved.duplicates, "errors": saved.errors});
    match diary {
        None => {}
        Some(diary) => match checkpoint_entry(&diary) {
            Err(why) => {
                if let Some(errors) = result["errors"].as_array_mut() {
                    errors.push(json!({"diary": diary, "error": why}));
                }
            }
            Ok(draft) => {
                let written = match draft {
                    Ok(new) => write_entry(&store, new).await,
                    Err(refusal) => Err(refusal.into()),
                };
                result["diary"] = written.unwrap_or_else(|error| refused(&error));
            }
        },
    }
    answer(&result)
}

/// What a checkpoint came to.
#[derive(Default)]
struct Saved {
    added: Vec<Value>,
    duplicates: Vec<Value>,
    errors: Vec<Value>,
}

impl Saved {
    async fn file(&mut self, store: &PalaceStore, item: Value, threshold: f64, added_by: &str) {
        let Value::Object(fields) = &item else {
            return self.errors.push(json!({"item": item, "error": "item must be an object"}));
        };
        let [Some(wing), Some(room), Some(content)] =
            ["wing", "room", "content"].map(|key| fields.get(key).and_then(Value::as_str).filter(|s| !s.is_empty()))
        else {
            let why = "wing, room, content must be non-empty strings";
            return self.errors.push(json!({"item": item, "error": why}));
        };
        // A check that fails must not keep what was learnt from being saved.
        let matches = store.duplicates(content.to_owned(), threshold).await.unwrap_or_default();
        if !matches.is_empty() {
            return self.duplicates.push(json!({"room": room, "matches": matches}));
        }
        match new_drawer(wing.into(), room.into(), content.into(), added_by) {
            Err(refusal) => self.errors.push(refused(&refusal.into())),
            Ok(new) => {
                let (wing, room) = (new.wing.clone(), new.room.clone());
                match store.add_drawer(new).await {
                    Ok(filed) => self.added.push(answers::filed(filed, &wing, &room)),
                    Err(error) => self.errors.push(refused(&error)),
                }
            }
        }
    }
}

fn new_drawer(wing: Raw, room: Raw, content: Raw, added_by: &str) -> Result<NewDrawer, Refusal> {
    Ok(NewDrawer {
        wing: name::required("wing", wing)?,
        room: name::required("room", room)?,
        content: text::content(content)?,
        source_file: String::new(),
        added_by: added_by.to_owned(),
    })
}

/// The entry that a checkpoint's `diary` asks for. The outer error is about its form, the inner one about its fields.
fn checkpoint_entry(diary: &Value) -> Result<Result<NewEntry, Refusal>, &'static str> {
    let Value::Object(fields) = diary else { return Err("diary must be an object") };
    let entry = ["entry", "content"].iter().find_map(|key| said(fields, key));
    let Some(entry) = entry else { return Err("diary entry must be a non-empty string") };
    let or = |key: &str, default: &str| match fields.get(key) {
        None => Raw::from(default),
        value => Raw::from(value.cloned()),
    };
    Ok(new_entry(or("agent_name", "cursor-ide"), entry.into(), or("topic", "session-checkpoint"), or("wing", "")))
}

fn said<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(Value::as_str).filter(|s| !s.is_empty())
}

/// A part of a checkpoint that was refused, in the form of a tool's own refusal.
fn refused(error: &PalaceError) -> Value {
    let mut answer = json!({"success": false, "error": error.to_string()});
    if error.is_retryable() {
        answer["error_class"] = "LockHeldByOtherProcess".into();
        answer["retryable"] = true.into();
    }
    answer
}
