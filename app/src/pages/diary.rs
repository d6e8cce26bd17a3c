//! `/diary`: who keeps a diary, and one diary, entries whole, newest first. Written on the hub, see [`super::sheet`].

mod day;
mod entry;
mod list;

use leptos::prelude::*;

use super::memory_parts::{here_only, off};
use crate::backend::memory::{DIARY_PAGE_ENTRIES, Diary, DiaryPage, DiaryQuery, Memory};
use crate::href;
use crate::language::{around, t};
use crate::parts::{Agent, revealed};
use crate::words::{counted, grouped};
use day::day_name;

/// What an address asks for.
pub(super) fn query(search: &str) -> DiaryQuery {
    let given = |key| href::value(search, key).filter(|value| !value.trim().is_empty());
    DiaryQuery {
        // Of entries that name nobody, the name is empty.
        agent: href::value(search, "agent"),
        together: given("together").is_some(),
        // An imported entry may have no topic at all.
        topic: href::value(search, "topic"),
        from: given("from").and_then(|n| n.parse().ok()).unwrap_or(0),
    }
}

/// Its title and its view.
pub(super) fn page(query: &DiaryQuery, answer: Memory<DiaryPage>) -> (String, AnyView) {
    match answer {
        Memory::Off(reason) => (t!("Diaries").to_owned(), off(&reason)),
        Memory::On(DiaryPage::Diarists(diarists)) => (t!("Diaries").to_owned(), list::view(diarists)),
        Memory::On(DiaryPage::Diary(diary)) => {
            (t!("Diary of {name}", name = named(&diary.spelling)), diary_view(query, diary))
        }
    }
}

/// The name of an agent; entries may name none.
fn named(spelling: &str) -> &str {
    if spelling.is_empty() { t!("nobody") } else { spelling }
}

/// The address of a diary with one thing changed.
fn link(query: &DiaryQuery, change: impl FnOnce(&mut DiaryQuery)) -> String {
    let mut wanted = DiaryQuery { from: 0, ..query.clone() };
    change(&mut wanted);
    let from = wanted.from.to_string();
    let pairs = [
        ("agent", wanted.agent.as_deref()),
        ("topic", wanted.topic.as_deref()),
        ("together", wanted.together.then_some("1")),
        ("from", (wanted.from > 0).then_some(from.as_str())),
    ];
    format!("/diary?{}", href::query(pairs.into_iter().filter_map(|(key, value)| Some((key, value?)))))
}

fn diary_view(query: &DiaryQuery, diary: Diary) -> AnyView {
    let (before, after) = around!("Diary of {it}");
    let total = counted(diary.total, t!("entry##n"), t!("entries##n"));
    let aliases = (!diary.aliases.is_empty()).then(|| aliases(query, &diary));
    let topics = (diary.topics.len() > 1 || query.topic.is_some()).then(|| topics(query, &diary));
    let body = if diary.entries.is_empty() { empty(query, &diary) } else { entries(query, &diary) };
    view! {
        <div class="page-head">
            <h1>{before}<Agent name=named(&diary.spelling).to_owned()/>{after}</h1>
            <span class="faint">{total}</span>
            <span class="grow"></span>
            <a class="button" href="/diary">{t!("All diaries")}</a>
            <p class="page-sub faint">
                {here_only()}{t!(" Times are this hub's local time. New entries appear at the top while you are there.")}
            </p>
        </div>
        {aliases}
        {topics}
        {body}
    }
    .into_any()
}

/// Names that probably mean the same agent, and the way to read all of them as one.
fn aliases(query: &DiaryQuery, diary: &Diary) -> AnyView {
    let named = diary
        .aliases
        .iter()
        .map(|alias| {
            let target = href::diary(&alias.agent);
            let entries = counted(alias.entries, t!("entry##n"), t!("entries##n"));
            let name = named(&alias.spelling).to_owned();
            view! { <li><a href=target><Agent name=name/></a>" "<small class="faint">{entries}</small></li> }.into_any()
        })
        .collect_view();
    let switch = if query.together { t!("Only this name") } else { t!("Show together") };
    let target = link(query, |wanted| wanted.together = !wanted.together);
    view! {
        <section class="aliases panel" aria-label=t!("Probable aliases")>
            <p>{t!("Probably the same agent, by name:")}</p>
            <ul>{named}</ul>
            <a class="button small" href=target>{switch}</a>
        </section>
    }
    .into_any()
}

fn topics(query: &DiaryQuery, diary: &Diary) -> AnyView {
    let every = view! {
        <li><a class="topic" href=link(query, |w| w.topic = None) aria-current=query.topic.is_none().then_some("true")>{t!("all topics")}</a></li>
    };
    let topics = diary
        .topics
        .iter()
        .map(|(topic, count)| {
            let current = (query.topic.as_deref() == Some(topic)).then_some("true");
            let target = link(query, |wanted| wanted.topic = Some(topic.clone()));
            let name = if topic.is_empty() { t!("no topic").into_any() } else { revealed(topic) };
            view! {
                <li><a class="topic" href=target aria-current=current>{name}" "<small>{grouped(*count)}</small></a></li>
            }
            .into_any()
        })
        .collect_view();
    view! { <nav aria-label=t!("Topics")><ul class="topics">{every}{topics}</ul></nav> }.into_any()
}

fn empty(query: &DiaryQuery, diary: &Diary) -> AnyView {
    let said = if query.from > 0 {
        t!("There are no older entries.")
    } else if query.topic.is_some() {
        t!("No entry has this topic.")
    } else if diary.own == 0 {
        t!("Nobody has written under this name on this hub.")
    } else {
        t!("No diary entries yet.")
    };
    let agent = if diary.spelling.is_empty() { "me" } else { &diary.spelling };
    view! {
        <section class="panel padded teach">
            <p>{said}</p>
            <p class="muted">
                {t!("Agents write with the tool ")}<code>"mempalace_diary_write"</code>{t!("; by hand an entry is written with")}
            </p>
            <p><code>{format!("loggia diary write --agent {} --entry \"What I learnt\"", shell_word(agent))}</code></p>
        </section>
    }
    .into_any()
}

/// A name as a word of a command line.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '/');
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

fn entries(query: &DiaryQuery, diary: &Diary) -> AnyView {
    let mut days: Vec<(String, Vec<AnyView>)> = Vec::new();
    for one in &diary.entries {
        let shows_agent = query.together && !one.agent.eq_ignore_ascii_case(&diary.spelling);
        let view = entry::view(one, shows_agent);
        match days.last_mut() {
            Some((day, views)) if *day == one.date => views.push(view),
            _ => days.push((one.date.clone(), vec![view])),
        }
    }
    let days = days
        .into_iter()
        .map(|(day, views)| {
            view! {
                <section class="diary-day" aria-label=day.clone()>
                    <h2 class="day-name"><span>{day_name(&day, &diary.today)}</span></h2>
                    {views}
                </section>
            }
            .into_any()
        })
        .collect_view();
    let shown = query.from + diary.entries.len();
    let newer = (query.from > 0).then(|| {
        let target = link(query, |wanted| wanted.from = query.from.saturating_sub(DIARY_PAGE_ENTRIES));
        view! { <a href=target rel="prev">{t!("Newer entries")}</a> }.into_any()
    });
    let older = if (shown as u64) < diary.total {
        view! { <a href=link(query, |wanted| wanted.from = shown) rel="next">{t!("Older entries")}</a> }.into_any()
    } else {
        view! { <span>{t!("This is the first entry.")}</span> }.into_any()
    };
    view! { {days} <nav class="pager" aria-label=t!("Pages of the diary")>{newer}{older}</nav> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diary_survives_its_link() {
        for agent in ["win:codex:a b&c", "50%41", "<script>", "é漢😀", ""] {
            let asked =
                DiaryQuery { agent: Some(agent.to_owned()), together: true, topic: Some("a+b".to_owned()), from: 40 };
            let address = link(&asked, |wanted| wanted.from = 40);
            assert_eq!(query(address.split_once('?').expect("a query").1), asked, "{address}");
        }
        assert_eq!(query("from=x"), DiaryQuery::default());
        let nobody = DiaryQuery { agent: Some(String::new()), ..DiaryQuery::default() };
        assert_eq!(query(href::diary("").split_once('?').expect("a query").1), nobody);
    }

    #[test]
    fn a_name_is_one_word_of_a_command() {
        assert_eq!(shell_word("win:codex"), "win:codex");
        assert_eq!(shell_word("o'n; rm"), r"'o'\''n; rm'");
    }
}
