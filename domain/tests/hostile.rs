//! Texts and values that nobody would write on purpose, by the thousand: the metadata canonicaliser, the hybrid clock and the filters of
//! an address. Whatever comes, they answer, and what they answer keeps their promises.
//!
//! `PROPTEST_CASES` says how many cases are tried (256 when nothing is said). What once failed is tried first: proptest keeps it in
//! `proptest-regressions`.

use loggia_domain::clock::{Clock, MAX_AHEAD_MS, Stamp};
use loggia_domain::metadata::{MAX_METADATA_BYTES, canonical, without_non_finite};
use loggia_domain::{Filter, Metadata, Raw};
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

const REPLICA: &str = "rep_0123456789abcdef0123456789abcdef";

/// Numbers as they may be written, far beyond what a machine word holds.
fn number() -> impl Strategy<Value = Value> {
    "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?"
        .prop_filter_map("a JSON number", |text| serde_json::from_str::<Number>(&text).ok().map(Value::Number))
}

/// Text with everything in it that quoting must mind.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[\"\\\\\u{0}-\u{1f}\u{7f}\u{2028}\u{202e}a-cNaIinfty{}:,\\[\\] -]{0,40}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), number(), text().prop_map(Value::String)];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..8).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((text(), value()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

/// Whether all keys stand in order, at every depth.
fn is_sorted(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            let keys: Vec<&String> = object.keys().collect();
            keys.is_sorted() && object.values().all(is_sorted)
        }
        Value::Array(items) => items.iter().all(is_sorted),
        _ => true,
    }
}

proptest! {
    #[test]
    fn canonical_metadata_says_the_same_in_one_way(object in object()) {
        let once = canonical(&object);
        let read: Value = serde_json::from_str(&once).expect("canonical text is JSON");
        prop_assert_eq!(&read, &Value::Object(object));
        prop_assert!(is_sorted(&read));
        let Value::Object(again) = read else { panic!("an object stays one") };
        prop_assert_eq!(canonical(&again), once);
    }

    #[test]
    fn any_value_is_metadata_or_refused_by_name(value in value()) {
        match Metadata::check(Raw::from(Some(value))) {
            Ok(metadata) => {
                prop_assert!(metadata.text().len() <= MAX_METADATA_BYTES);
                prop_assert_eq!(metadata.text().chars().next(), Some('{'));
                prop_assert_eq!(Metadata::from_stored(metadata.text().to_owned()), metadata);
            }
            Err(refusal) => prop_assert!(refusal.message.contains("metadata")),
        }
    }

    #[test]
    fn whatever_another_program_stored_is_shown_as_an_object(stored in text()) {
        let shown = Metadata::from_stored(stored);
        let read: Value = serde_json::from_str(shown.text()).expect("a frame stays JSON");
        prop_assert!(read.is_object());
    }

    #[test]
    fn mending_a_text_leaves_sound_json_alone(value in value()) {
        let text = value.to_string();
        prop_assert_eq!(without_non_finite(&text), text);
    }

    #[test]
    fn a_stamp_is_read_as_it_was_written(ms in 0..9_999_999_999_999_u64, counter in 0..0x100_0000_u32) {
        let stamp = Stamp { ms, counter };
        prop_assert_eq!(Stamp::parse(&stamp.text(REPLICA)), Some(stamp));
    }

    #[test]
    fn stamps_stand_in_the_order_of_their_texts(
        a in (0..9_999_999_999_999_u64, 0..0x100_0000_u32),
        b in (0..9_999_999_999_999_u64, 0..0x100_0000_u32),
    ) {
        let of = |(ms, counter)| Stamp { ms, counter };
        prop_assert_eq!(of(a).cmp(&of(b)), of(a).text(REPLICA).cmp(&of(b).text(REPLICA)));
    }

    #[test]
    fn any_text_is_a_stamp_or_none(text in prop_oneof![text(), "[0-9]{12,14}-[0-9a-fA-F]{5,7}-rep_[0-9a-g]{11,33}"]) {
        if let Some(stamp) = Stamp::parse(&text) {
            let replica = text.splitn(3, '-').nth(2).expect("it has three parts");
            prop_assert_eq!(stamp.text(replica), text);
        }
    }

    #[test]
    fn the_clock_only_grows_and_nobody_drags_it_far(
        steps in prop::collection::vec((any::<bool>(), 1_600_000_000_000..1_800_000_000_000_u64, 0..2_000_000_000_000_u64), 1..40),
    ) {
        let (mut clock, mut last, mut highest_now) = (Clock::default(), String::new(), 0);
        for (observes, now, remote) in steps {
            highest_now = highest_now.max(now);
            if observes {
                clock.observe(&Stamp { ms: remote, counter: 0xff_ffff }.text(REPLICA), now);
            }
            let stamp = clock.tick(now);
            let text = stamp.text(REPLICA);
            prop_assert!(text > last, "{} after {}", text, last);
            prop_assert!(stamp.ms <= highest_now + MAX_AHEAD_MS + 1);
            last = text;
        }
    }

    #[test]
    fn any_pair_of_an_address_is_taken_refused_or_unknown(
        key in prop_oneof!["[a-z_]{1,20}", "(not_|exclude_)?(stream|room|type|status|to_agent|from_agent|correlation_id)"],
        value in text(),
    ) {
        let mut filter = Filter::default();
        if filter.take_pair(&key, &value).is_ok() {
            // What was taken is written back, and read again it means the same.
            let mut again = Filter::default();
            for (key, value) in filter.pairs() {
                again.take_pair(&key, &value).expect("its own pairs are accepted");
            }
            prop_assert_eq!(again.pairs(), filter.pairs());
        }
    }
}
