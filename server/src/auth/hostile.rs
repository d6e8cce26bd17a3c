//! Headers that no browser sends, by the thousand: a cookie is found whole or not at all, and only one clean bearer is a credential.
//! `PROPTEST_CASES` says how many cases are tried.

use axum::http::{HeaderMap, HeaderValue, header};
use proptest::prelude::*;

use super::{Credential, bearer, cookie};

const NAME: &str = "loggia_0123abcd";

fn headers(name: &header::HeaderName, values: &[Vec<u8>]) -> HeaderMap {
    let values = values.iter().filter_map(|bytes| HeaderValue::from_bytes(bytes).ok());
    values.map(|value| (name.clone(), value)).collect()
}

/// Pieces of cookies, ours and others'.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "loggia_0123abcd|loggia_0123abc|=|;| |\"|x|Bearer |lg_[a-f0-9]{4}|,".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..6)
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_cookie_is_a_value_that_stands_there_behind_its_own_name(values in prop::collection::vec(bytes(), 0..4)) {
        let headers = headers(&header::COOKIE, &values);
        if let Some(found) = cookie(&headers, NAME) {
            prop_assert!(!found.contains(';'));
            let pair = format!("{NAME}={found}");
            let sent = headers.get_all(header::COOKIE).iter().any(|v| v.to_str().is_ok_and(|text| text.contains(&pair)));
            prop_assert!(sent, "{}", pair);
        }
    }

    #[test]
    fn our_cookie_is_found_among_any_others(before in "[a-z]{1,9}=[ -:<-~]{0,20}; ", value in "[0-9a-f]{64}", after in "(; [a-z]=[0-9]){0,3}") {
        let text = format!("{before}{NAME}={value}{after}");
        prop_assert_eq!(cookie(&headers(&header::COOKIE, &[text.into_bytes()]), NAME), Some(value));
    }

    #[test]
    fn only_one_clean_bearer_is_a_credential(values in prop::collection::vec(bytes(), 0..3)) {
        let headers = headers(&header::AUTHORIZATION, &values);
        if let Some(credential) = bearer(&headers) {
            let Credential::Bearer(secret) = credential else { panic!("a bearer is one") };
            prop_assert_eq!(headers.len(), 1);
            prop_assert!((1..=512).contains(&secret.len()) && secret.bytes().all(|b| b.is_ascii_graphic()));
        }
    }
}
