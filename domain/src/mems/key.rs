//! The name under which a session's snapshot is kept: `mems:l0:<tenant|_>:<user|_>:<scope|_>:<agent>:<session>`, and back.
//!
//! Parts may hold anything, so `:` and `%` in them are written `%3A` and `%25`, and a part that is `_` itself `%5F`.

use super::Owner;

/// What every key begins with.
pub const PREFIX: &str = "mems:l0:";
/// What stands for a part that is not set.
const UNSET: &str = "_";

/// The key of an owner's session.
pub fn of(owner: &Owner) -> String {
    let optional = |part: &Option<String>| part.as_deref().map_or_else(|| UNSET.to_owned(), escaped);
    format!(
        "{PREFIX}{}:{}:{}:{}:{}",
        optional(&owner.tenant_id),
        optional(&owner.user_id),
        optional(&owner.scope),
        escaped(&owner.agent_id),
        escaped(&owner.session_id)
    )
}

/// Whose session a key names; `None` for a key of something else.
pub fn owner(key: &str) -> Option<Owner> {
    let mut parts = key.strip_prefix(PREFIX)?.split(':');
    let mut next = || parts.next();
    let (tenant, user, scope, agent, session) = (next()?, next()?, next()?, next()?, next()?);
    if parts.next().is_some() {
        return None;
    }
    let optional = |part: &str| if part == UNSET { Some(None) } else { plain(part).map(Some) };
    Some(Owner {
        tenant_id: optional(tenant)?,
        user_id: optional(user)?,
        scope: optional(scope)?,
        agent_id: plain(agent)?,
        session_id: plain(session)?,
    })
}

fn escaped(part: &str) -> String {
    if part == UNSET { "%5F".to_owned() } else { part.replace('%', "%25").replace(':', "%3A") }
}

fn plain(part: &str) -> Option<String> {
    let mut out = String::with_capacity(part.len());
    let mut pieces = part.split('%');
    out.push_str(pieces.next()?);
    for piece in pieces {
        out.push(match piece.get(..2)? {
            "25" => '%',
            "3A" => ':',
            "5F" => '_',
            _ => return None,
        });
        out.push_str(&piece[2..]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tenant: Option<&str>, user: Option<&str>, scope: Option<&str>, agent: &str, session: &str) -> Owner {
        let own = |part: Option<&str>| part.map(str::to_owned);
        Owner {
            tenant_id: own(tenant),
            user_id: own(user),
            scope: own(scope),
            agent_id: agent.to_owned(),
            session_id: session.to_owned(),
        }
    }

    #[test]
    fn every_owner_has_a_key_of_its_own_and_is_found_by_it() {
        let owners = [
            named(None, None, None, "a", "s"),
            named(Some("_"), None, None, "a", "s"),
            named(None, Some("_"), None, "a", "s"),
            named(Some("%5F"), None, None, "a", "s"),
            named(Some("a:b"), Some("c"), None, "a", "s"),
            named(Some("a"), Some("b:c"), None, "a", "s"),
            named(None, None, None, "win:codex:x", "é %3A 漢"),
            named(None, None, None, "_", "_"),
            named(None, None, Some("%"), "a", "s:"),
        ];
        let mut keys = std::collections::HashSet::new();
        for one in owners {
            let key = of(&one);
            assert_eq!(owner(&key), Some(one), "{key}");
            assert!(keys.insert(key));
        }
        assert_eq!(of(&named(None, None, None, "ag", "s1")), "mems:l0:_:_:_:ag:s1");
    }

    #[test]
    fn other_keys_name_nobody() {
        for key in ["mems:l0:events", "mems:l0:a:b:c:d:e:f", "x", "mems:l0:_:_:_:a%zz:s", "mems:l0:_:_:_:a%2:s"] {
            assert_eq!(owner(key), None, "{key}");
        }
    }
}
