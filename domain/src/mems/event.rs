//! What a write tells those who listen: one event, whose fields are flat texts. And the ids of events, which sort as they came.

use time::OffsetDateTime;

use super::{Did, Owner, Snapshot};
use crate::id::hex;

/// How many fields an event has.
pub const FIELDS: usize = 11;

/// The fields of the event of a write, in the order in which they are published. What is not set is an empty text.
pub fn fields(owner: &Owner, snapshot: &Snapshot, did: Did) -> [(&'static str, String); FIELDS] {
    let optional = |part: &Option<String>| part.clone().unwrap_or_default();
    // Texts in a list of texts: nothing here fails.
    let messages = serde_json::to_string(&snapshot.window()).unwrap_or_default();
    [
        ("event_id", snapshot.event_id.clone()),
        ("event_type", did.as_str().to_owned()),
        ("timestamp", iso(snapshot.updated_at_ms)),
        ("tenant_id", optional(&owner.tenant_id)),
        ("user_id", optional(&owner.user_id)),
        ("agent_id", owner.agent_id.clone()),
        ("session_id", owner.session_id.clone()),
        ("scope", optional(&owner.scope)),
        ("content", snapshot.text()),
        ("messages", messages),
        ("expires_at", iso(snapshot.expires_at_ms)),
    ]
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since 1970.
pub fn iso(ms: u64) -> String {
    let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let whole = crate::timestamp::created_at(at);
    format!("{}.{:03}Z", whole.trim_end_matches('Z'), ms % 1000)
}

/// Gives ids (UUID version 7) each of which sorts after the one before, also within one millisecond.
#[derive(Debug, Default)]
pub struct EventIds {
    last: (u64, u16),
}

/// The highest number within one millisecond.
const MAX_COUNT: u16 = 0xfff;

impl EventIds {
    /// The next id; it also sorts after another one, which another hub may have given. The random bytes are the caller's.
    pub fn next(&mut self, now_ms: u64, after: Option<&str>, random: [u8; 8]) -> String {
        let last = self.last.max(after.and_then(place).unwrap_or_default());
        self.last = match last {
            (ms, _) if now_ms > ms => (now_ms, 0),
            (ms, count) if count < MAX_COUNT => (ms, count + 1),
            (ms, _) => (ms + 1, 0),
        };
        let (ms, count) = self.last;
        let time = format!("{:012x}", ms & 0xffff_ffff_ffff);
        let mut tail = random;
        // The variant of the standard.
        tail[0] = (tail[0] & 0x3f) | 0x80;
        let tail = hex(&tail);
        format!("{}-{}-7{count:03x}-{}-{}", &time[..8], &time[8..], &tail[..4], &tail[4..])
    }
}

/// The millisecond of an id and its number within that; `None` for what is no such id.
fn place(id: &str) -> Option<(u64, u16)> {
    let ms = u64::from_str_radix(&format!("{}{}", id.get(..8)?, id.get(9..13)?), 16).ok()?;
    let count = u16::from_str_radix(id.get(15..18)?, 16).ok()?;
    Some((ms, count))
}

/// When an id was given, ms since 1970; `None` for what is no such id.
pub fn given_at_ms(id: &str) -> Option<u64> {
    place(id).map(|(ms, _)| ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mems::{Message, NewWrite};

    #[test]
    fn ids_sort_as_they_were_given() {
        let mut ids = EventIds::default();
        let mut given: Vec<String> =
            (0..5000).map(|n| ids.next(1_790_000_000_000 - n / 1000, None, [0xff; 8])).collect();
        given.push(ids.next(1_790_000_000_900, None, [0; 8]));
        assert!(given.is_sorted() && given.windows(2).all(|two| two[0] != two[1]));
        let foreign = "01a0c5b3-7000-7fff-8000-000000000000";
        let next = EventIds::default().next(1000, Some(foreign), [7; 8]);
        assert!(next.as_str() > foreign && next.starts_with("01a0c5b3-7001-7000-87"), "{next}");
        assert_eq!(given_at_ms(&next), Some(0x01a0_c5b3_7001));
        assert_eq!((next.len(), given_at_ms("x"), given_at_ms("é0000000-0000-7")), (36, None, None));
    }

    #[test]
    fn an_event_is_flat_and_whole() {
        let owner = Owner {
            user_id: Some("u".to_owned()),
            agent_id: "a".to_owned(),
            session_id: "s".to_owned(),
            ..Owner::default()
        };
        let said = |role: &str, content: &str| Message { role: role.to_owned(), content: content.to_owned() };
        let new = NewWrite {
            owner: owner.clone(),
            messages: vec![said("user", "hi \"é\""), said("assistant", "yes")],
            active_plan: None,
            temp_variables: serde_json::Map::new(),
            metadata: serde_json::Map::new(),
            ttl_s: 1800,
        };
        let (snapshot, did) = Snapshot::after(None, &new, "e".to_owned(), 1_790_000_000_123);
        let fields = fields(&owner, &snapshot, did);
        let expected = [
            ("event_id", "e"),
            ("event_type", "write"),
            ("timestamp", "2026-09-21T14:13:20.123Z"),
            ("tenant_id", ""),
            ("user_id", "u"),
            ("agent_id", "a"),
            ("session_id", "s"),
            ("scope", ""),
            ("content", "user: hi \"é\"\nassistant: yes"),
            ("messages", r#"[{"role":"user","content":"hi \"é\""},{"role":"assistant","content":"yes"}]"#),
            ("expires_at", "2026-09-21T14:43:20.123Z"),
        ];
        assert_eq!(fields.each_ref().map(|(name, value)| (*name, value.as_str())), expected);
    }
}
