//! State files that somebody edited, cut or overwrote, by the thousand: each is one of the four states, and only what names an event
//! resumes. `PROPTEST_CASES` says how many cases are tried.

use proptest::prelude::*;
use serde_json::json;

use super::{Start, Stored};

proptest! {
    #[test]
    fn any_text_is_one_of_the_states(text in prop_oneof![
        any::<String>(),
        "\\{?(\"cursor\"|\"agent\"|\"updated_at\"|:|,|null|\"evt_[0-9a-f]{0,8}\"|[0-9]|\\[|\\]| ){0,12}\\}?",
    ]) {
        let stored = Stored::parse(&text);
        prop_assert_ne!(&stored, &Stored::Absent, "a file that is there is no first run");
        // What was there and says nothing costs a repetition, never a gap.
        if stored == Stored::Unreadable {
            prop_assert_eq!(Start::choose(None, false, &stored), Start::Beginning);
        }
    }

    #[test]
    fn what_a_watch_wrote_it_reads(cursor in "[!-~]{1,100}", cut in 0..200_usize) {
        let text = json!({"cursor": cursor, "updated_at": "2026-01-01T00:00:00Z", "agent": "a"}).to_string();
        prop_assert_eq!(Stored::parse(&text), Stored::At(cursor));
        if cut < text.len() {
            prop_assert_eq!(Stored::parse(&text[..cut]), Stored::Unreadable, "half a file");
        }
    }
}
