//! In which language a browser is answered: what it chose by the switch in the frame, which a cookie remembers, else what its settings
//! ask for. Whoever asks for neither language gets English.

use axum::http::{HeaderMap, header};
use loggia_app::Language;

use crate::auth;

/// The cookie of the choice. All hubs of a host share it: it is the reader's, not a hub's.
const COOKIE: &str = "loggia_language";
/// How long a choice is remembered, in seconds: a year.
const MAX_AGE_S: u64 = 365 * 24 * 3600;

/// The language of a request.
pub fn of(headers: &HeaderMap) -> Language {
    if let Some(chosen) = auth::cookie(headers, COOKIE).and_then(|tag| Language::of_tag(&tag)) {
        return chosen;
    }
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    accepted.and_then(accepted_best).unwrap_or_default()
}

/// The first of our languages among those that a header asks for, the most wanted first.
fn accepted_best(header: &str) -> Option<Language> {
    let mut best: Option<(f32, Language)> = None;
    for range in header.split(',') {
        let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0));
        if let Some(language) = Language::of_tag(tag.trim())
            && weight > best.map_or(0.0, |(best, _)| best)
        {
            best = Some((weight, language));
        }
    }
    best.map(|(_, language)| language)
}

/// What a browser is told so that it remembers a choice.
pub fn remembered(language: Language, is_behind_tls: bool) -> String {
    let secure = if is_behind_tls { "; Secure" } else { "" };
    format!("{COOKIE}={}; Path=/; Max-Age={MAX_AGE_S}; HttpOnly; SameSite=Lax{secure}", language.tag())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a header"))).collect()
    }

    #[test]
    fn a_choice_is_stronger_than_the_browser_and_the_most_wanted_comes_first() {
        for (cookie, accepted, expected) in [
            ("", "", Language::English),
            ("", "zh-CN,zh;q=0.9,en;q=0.8", Language::Chinese),
            ("", "en-GB,en;q=0.9,zh;q=0.8", Language::English),
            ("", "de-DE, zh-TW;q=0.5, en;q=0.4", Language::Chinese),
            ("", "zh;q=0, fr", Language::English),
            ("", "zh;q=x, en;q=0.1", Language::English),
            ("", ",;;q=,zh", Language::Chinese),
            ("loggia_language=zh-Hans", "en", Language::Chinese),
            ("a=b; loggia_language=en", "zh-CN", Language::English),
            ("loggia_language=tlh", "zh-CN", Language::Chinese),
        ] {
            let asked = headers(&[(header::COOKIE, cookie), (header::ACCEPT_LANGUAGE, accepted)]);
            assert_eq!(of(&asked), expected, "{cookie:?} {accepted:?}");
        }
    }
}
