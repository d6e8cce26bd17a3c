//! Addresses and headers that nobody types, by the thousand: whatever is asked of a stream, it is understood or refused by name.
//! `PROPTEST_CASES` says how many cases are tried.

use axum::http::{HeaderMap, HeaderValue};
use proptest::prelude::*;

use super::{Asked, Start};

fn pair() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        "(exclude_)?(stream|room|type|status|to_agent|from_agent|correlation_id)|since_event_id|since_created_at|from|x",
        any::<String>(),
    ];
    let value = prop_oneof![Just("start".to_owned()), Just("evt_1".to_owned()), "[%+&=;a-f0-9]{0,12}", any::<String>()];
    (key, value).prop_map(|(key, value)| format!("{key}={value}"))
}

proptest! {
    #[test]
    fn any_address_is_understood_or_refused(
        pairs in prop::collection::vec(pair(), 0..8),
        last in prop::option::of(prop::collection::vec(any::<u8>(), 0..40)),
    ) {
        let mut headers = HeaderMap::new();
        let last = last.and_then(|bytes| HeaderValue::from_bytes(&bytes).ok());
        if let Some(last) = &last {
            headers.insert("last-event-id", last.clone());
        }
        match Asked::read(&pairs.join("&"), &headers) {
            // What a reconnecting client saw last beats the address.
            Ok(asked) => prop_assert_eq!(
                matches!(asked.start, Start::Resume(_)),
                last.is_some_and(|value| !value.is_empty())
            ),
            Err(refusal) => prop_assert!(!refusal.message.is_empty()),
        }
    }
}
