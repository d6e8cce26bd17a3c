//! Every text of the pages in both languages: its English, by which pages name it, and its Chinese. A file for each part of the pages; those
//! that the browser needs come first, so that its half counts them in the same way without the others.
//!
//! Places stand in braces and are the same in both. Where one English word is two in Chinese, what follows `##` tells which is meant; it
//! is not shown. A noun with `##n` stands behind a number.
//!
//! # Chinese
//!
//! One word for one thing: event 事件, stream 流 (a connection that brings events: 数据流), room 房间, delegation 委派, claim 认领, artifact
//! 工件, patch 补丁, agent 智能体, log 日志, palace 宫殿, wing 翼, drawer 抽屉, tunnel 通道, hallway 走廊, diary 日记, fact 事实, session 会话,
//! token 令牌, hub 枢纽, peer 对等枢纽, replica 副本, author 作者, inbox 收件箱, audit 审计. Punctuation is full-width (，：；？（）。) outside
//! of code and ids; a space stands between Chinese and Latin letters or digits, but not within dates (2026年11月30日), and none beside
//! full-width punctuation. A text that ends where code or a name follows ends with that space.

mod frame;
#[cfg(feature = "ssr")]
mod hub;
#[cfg(feature = "ssr")]
mod memory;
mod pages;
#[cfg(feature = "ssr")]
mod people;
#[cfg(feature = "ssr")]
mod work;

/// English and Chinese.
pub(super) type Row = (&'static str, &'static str);

/// How many of the chunks the browser has.
#[cfg(feature = "ssr")]
const BROWSER: usize = 2;

/// All texts. A text's number is its place in all of them together.
#[cfg(feature = "ssr")]
pub(super) const CHUNKS: &[&[Row]] =
    &[frame::TEXTS, pages::TEXTS, memory::TEXTS, people::TEXTS, work::TEXTS, hub::TEXTS];

/// The texts that the browser needs. Only the compiler reads them.
#[cfg(not(feature = "ssr"))]
pub(super) const CHUNKS: &[&[Row]] = &[frame::TEXTS, pages::TEXTS];

/// A text by its number, as it is shown.
#[cfg(feature = "ssr")]
pub(super) fn row(number: usize) -> Row {
    static ROWS: std::sync::LazyLock<Vec<Row>> =
        std::sync::LazyLock::new(|| CHUNKS.iter().flat_map(|rows| rows.iter()).map(shown).collect());
    ROWS.get(number).copied().unwrap_or_default()
}

/// The texts that the browser needs, in the order of their numbers.
#[cfg(feature = "ssr")]
pub(super) fn of_the_browser() -> impl Iterator<Item = Row> {
    CHUNKS.iter().take(BROWSER).flat_map(|rows| rows.iter()).map(shown)
}

#[cfg(feature = "ssr")]
fn shown((english, chinese): &Row) -> Row {
    (english.split_once("##").map_or(*english, |(text, _)| text), chinese)
}

#[cfg(all(test, feature = "ssr"))]
mod tests;
