//! The forms by which a person answers a task or asks for one: plain HTML, posted to the hub, which shows them again with what was typed
//! when it refuses. Written on the hub; no script is needed and none is added.

use leptos::prelude::*;
use loggia_domain::Status;
use loggia_domain::delegation::{Delegation, State};
use loggia_domain::human::{MAX_NAME_CHARS, PREFIX};

use crate::backend::Viewer;
use crate::backend::asked::Typed;
use crate::href;
use crate::language::t;
use crate::parts::{TextArea, revealed};

/// What stands in place of a form for a viewer who may not write.
fn why_not(viewer: &Viewer) -> Option<&'static str> {
    if viewer.read_only {
        Some(t!("This hub is read-only: nothing can be written here."))
    } else if viewer.write {
        None
    } else {
        Some(t!("To write, sign in with a token that has the scope `write`."))
    }
}

/// The answer to a task.
pub(super) fn answer(d: &Delegation, viewer: &Viewer, typed: &Typed) -> AnyView {
    if let Some(why) = why_not(viewer) {
        return view! { <section class="panel padded"><h2>{t!("Answer as a person")}</h2><p class="muted">{why}</p></section> }
            .into_any();
    }
    let is_again = typed.error.is_some();
    let chosen = if is_again { typed.value("status") } else { suggested(d.state) };
    let statuses = std::iter::once(("", t!("reply, without a status")))
        .chain(Status::ALL.iter().map(|status| (status.as_str(), meaning(*status))))
        .map(|(word, meaning)| {
            let words = if word.is_empty() { meaning.to_owned() } else { format!("{word}{}{meaning}", t!(": ")) };
            view! { <option value=word selected=word == chosen>{words}</option> }.into_any()
        })
        .collect_view();
    let to = if is_again { typed.value("to").to_owned() } else { addressee(d) };
    let others = d.agents.iter().chain(&d.assignee).fold(Vec::new(), |mut names: Vec<&String>, name| {
        if !names.contains(&name) {
            names.push(name);
        }
        names
    });
    let options =
        others.into_iter().map(|name| view! { <option value=name.clone()></option> }.into_any()).collect_view();
    let answers = d.steps.last().map(|step| step.event_id.clone()).unwrap_or_default();
    let action = href::task(&d.correlation_id);
    view! {
        <details class="panel human-form" open=is_again id="answer">
            <summary><h2>{t!("Answer as a person")}</h2></summary>
            <form method="post" action=format!("{action}#answer") class="stacked">
                {error(typed)}
                <input type="hidden" name="event_id" value=answers/>
                {name_field(viewer, typed)}
                <label>{t!("What it is")}<select name="status">{statuses}</select></label>
                <label>{t!("For whom")}<input name="to" value=to maxlength="256" list="answer-to" aria-invalid=invalid(typed, "to_agent")/></label>
                <datalist id="answer-to">{options}</datalist>
                <label class="wide">{t!("Text")}<TextArea name="body" rows="6" typed=typed.value("body").to_owned() is_refused=refused(typed, "body")/></label>
                <p class="wide"><button class="button primary">{t!("Write to the log")}</button>
                <span class="faint">{t!(" The log is never changed: what is written stays. Agents read it as they read each other.")}</span></p>
            </form>
        </details>
    }
    .into_any()
}

/// The page on which a person asks for work: its title and its view.
pub(in crate::pages) fn create(viewer: &Viewer, typed: &Typed) -> (String, AnyView) {
    let title = t!("New task").to_owned();
    if let Some(why) = why_not(viewer) {
        let view =
            view! { <h1>{t!("New task")}</h1><section class="panel padded"><p class="muted">{why}</p></section> };
        return (title, view.into_any());
    }
    let field = |name: &'static str, label: &'static str, hint: &'static str| {
        view! {
            <label>{label}<input name=name value=typed.value(name).to_owned() placeholder=hint required maxlength="256" aria-invalid=invalid(typed, name)/></label>
        }
        .into_any()
    };
    let area = |name: &'static str, label: &'static str, rows: &'static str| {
        view! {
            <label class="wide">{label}<TextArea name=name rows=rows typed=typed.value(name).to_owned() required=true is_refused=refused(typed, name)/></label>
        }
        .into_any()
    };
    let view = view! {
        <h1>{t!("New task")}</h1>
        <section class="panel human-form">
            <form method="post" action="/task/new" class="stacked">
                {error(typed)}
                {name_field(viewer, typed)}
                {field("to_agent", t!("For whom"), t!("win:codex, or * for everybody"))}
                {field("project", t!("Project"), "atlas")}
                {field("branch", t!("Branch"), "main")}
                {field("base_commit", t!("Base commit"), t!("7 to 64 hexadecimal digits"))}
                {area("goal", t!("Goal; its first line is the title"), "5")}
                {area("done", t!("It is done when"), "3")}
                <p class="wide"><button class="button primary">{t!("Ask for it")}</button></p>
            </form>
        </section>
    };
    (title, view.into_any())
}

fn name_field(viewer: &Viewer, typed: &Typed) -> AnyView {
    let name = if typed.error.is_some() { typed.value("name").to_owned() } else { viewer.name.clone() };
    view! {
        <label>{t!("Your name")}
            <span class="prefixed"><code>{PREFIX}</code>
            <input name="name" value=name required maxlength=MAX_NAME_CHARS.to_string() autocomplete="nickname" aria-invalid=invalid(typed, "name")/></span>
        </label>
    }
    .into_any()
}

fn error(typed: &Typed) -> Option<AnyView> {
    let (_, said) = typed.error.as_ref()?;
    let said = revealed(said);
    Some(
        view! { <p class="note warn wide" role="alert"><b>{t!("Nothing was written: ")}</b>{said}{t!(". What you typed is still here.")}</p> }
            .into_any(),
    )
}

fn invalid(typed: &Typed, field: &str) -> Option<&'static str> {
    refused(typed, field).then_some("true")
}

fn refused(typed: &Typed, field: &str) -> bool {
    typed.error.as_ref().is_some_and(|(refused, _)| refused == field)
}

/// What a person most likely says next; never something that ends or takes the task.
fn suggested(state: State) -> &'static str {
    match state {
        State::Blocked => Status::Open.as_str(),
        _ => "",
    }
}

/// Who waits for the answer: the worker where it is stuck or has asked, else the requester.
fn addressee(d: &Delegation) -> String {
    let asked = d.reason_by.clone().filter(|_| d.open_question || d.state == State::Blocked);
    asked.or_else(|| d.claimant.clone()).unwrap_or_else(|| d.assignee.clone().unwrap_or_else(|| d.requester.clone()))
}

fn meaning(status: Status) -> &'static str {
    match status {
        Status::Open => t!("to be done, by anybody who claims it"),
        Status::Claimed => t!("I take it"),
        Status::Ready => t!("a result waits to be looked at"),
        Status::Applied => t!("the result was taken over; done"),
        Status::Blocked => t!("it cannot go on without somebody"),
        Status::Failed => t!("it was tried and did not work; done"),
        Status::Superseded => t!("something else took its place; done"),
    }
}
