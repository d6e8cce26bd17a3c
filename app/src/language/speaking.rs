//! The hub's side of languages: which there are, which one is spoken while a page is written, and what the browser is given of it.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use leptos::prelude::use_context;

use super::dictionary;

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese in simplified characters.
    Chinese,
}

impl Language {
    /// The tag of a document in it.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// The language of a tag as browsers and cookies have it (`zh-CN`, `en`), without regard to the country; `None` for others.
    pub fn of_tag(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next()?.trim().to_ascii_lowercase().as_str() {
            "en" => Some(Self::English),
            "zh" => Some(Self::Chinese),
            _ => None,
        }
    }
}

thread_local! {
    static SPOKEN: Cell<Option<Language>> = const { Cell::new(None) };
}

/// What is spoken at this moment. Work that the renderer goes on with in a task of its own has the context of the page.
pub(super) fn language() -> Language {
    SPOKEN.get().or_else(use_context).unwrap_or_default()
}

/// The tag of what is spoken, for `<html lang>`.
pub(crate) fn tag() -> &'static str {
    language().tag()
}

/// Runs something while a language is spoken. Whatever writes texts for a reader runs in here; elsewhere it is English.
pub fn speaking<T>(language: Language, work: impl FnOnce() -> T) -> T {
    /// Also where the work panics: its thread goes on with the work of others.
    struct Before(Option<Language>);

    impl Drop for Before {
        fn drop(&mut self) {
            SPOKEN.set(self.0);
        }
    }

    let _before = Before(SPOKEN.replace(Some(language)));
    work()
}

/// The same for work that waits in between, on whichever thread it goes on.
pub struct Speaking<F> {
    language: Language,
    work: Pin<Box<F>>,
}

impl Language {
    /// Work that speaks this language.
    pub fn around<F: Future>(self, work: F) -> Speaking<F> {
        Speaking { language: self, work: Box::pin(work) }
    }

    /// The language that is spoken now, to be spoken on by work that is begun here.
    pub fn spoken() -> Self {
        language()
    }
}

impl<F: Future> Future for Speaking<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let language = self.language;
        speaking(language, || self.work.as_mut().poll(cx))
    }
}

/// The texts that the browser needs, in the language that is spoken, as JSON that may stand in an element.
pub fn texts_json() -> String {
    let texts: Vec<&str> = dictionary::of_the_browser()
        .map(|(english, chinese)| if language() == Language::Chinese { chinese } else { english })
        .collect();
    // A list of texts can always be written.
    serde_json::to_string(&texts).unwrap_or_default().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_does_not_matter() {
        for (tag, language) in [
            ("zh-CN", Some(Language::Chinese)),
            ("zh", Some(Language::Chinese)),
            ("ZH_hans", Some(Language::Chinese)),
            ("en-GB", Some(Language::English)),
            ("de", None),
            ("", None),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
    }

    #[test]
    fn a_language_ends_with_its_work() {
        assert_eq!(speaking(Language::Chinese, tag), "zh-Hans");
        assert_eq!(tag(), "en");
        let work = || std::panic::resume_unwind(Box::new(()));
        let broken = std::panic::catch_unwind(|| speaking::<()>(Language::Chinese, work));
        assert!(broken.is_err());
        assert_eq!(tag(), "en");
    }
}
