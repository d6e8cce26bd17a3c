//! In whose name a call writes, where its token is bound to agents: the one place that holds tools to it.

use loggia_domain::{Refusal, refusal};
use serde_json::Value;

use super::args::Args;
use super::tool::Tool;
use crate::tokens::Identity;

/// The arguments in which the tools that write name their author.
const FIELDS: [&str; 4] = ["from_agent", "created_by", "agent_name", "added_by"];
/// The argument of a checkpoint that is a diary entry, and where that names its author.
const ENTRY: (&str, &str) = ("diary", "agent_name");

/// Refuses a call that speaks in a name that is not its token's. A name that the tool could do without is filled in when the token has
/// only one: a default would be nobody's.
pub(super) fn check(who: &Identity, tool: &Tool, args: &mut Args) -> Result<(), Refusal> {
    if who.agents().is_empty() || tool.is_read_only() {
        return Ok(());
    }
    for name in FIELDS.into_iter().filter(|name| tool.params.iter().any(|param| param.name == *name)) {
        if let Some(own) = speaks(who, name, args.peek(name))? {
            args.put(name, own);
        }
    }
    let (argument, field) = ENTRY;
    if tool.params.iter().any(|param| param.name == argument)
        && let Some(Value::Object(mut entry)) = args.peek(argument).cloned()
    {
        if let Some(own) = speaks(who, "diary.agent_name", entry.get(field))? {
            entry.insert(field.to_owned(), own);
        }
        args.put(argument, Value::Object(entry));
    }
    Ok(())
}

/// What to fill in for a name that was not given; an error for one that is not the token's.
fn speaks(who: &Identity, field: &str, given: Option<&Value>) -> Result<Option<Value>, Refusal> {
    match given {
        Some(Value::String(name)) if !name.is_empty() => who.check_agent(field, name).map(|()| None),
        None | Some(Value::Null | Value::String(_)) => match who.agents() {
            [only] => Ok(Some(only.as_str().into())),
            several => {
                let allowed = several.join(", ");
                let message = format!("{field} must say as whom: token `{}` may write as {allowed}", who.name);
                Err(Refusal::new(field, message).accepted(allowed))
            }
        },
        Some(other) => who.check_agent(field, &refusal::shown(other)).map(|()| None),
    }
}
