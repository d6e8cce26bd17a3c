//! The delegation as a reader sees it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use loggia_domain::delegation::{Delegation, fold};
use loggia_domain::{ArtifactRecord, Column, Event, Filter};

use super::artifacts::Artifacts;
use super::facts::RequestFacts;
use super::lanes::Lanes;
use super::notes::Notes;
use super::steps::Steps;
use crate::backend::TaskPage;
use crate::backend::asked::{PageQuery, Seen};
use crate::clock::use_page_clock;
use crate::language::t;
use crate::live::{Arrival, Cursor, Throttle, use_live};
use crate::parts::{CopyButton, StateBadge, revealed};
use crate::{ask, browser, href};

/// At most one question per so many ms.
const ASK_GAP_MS: u64 = 1000;
/// How often "now" moves on where the reader asked for less motion, in ms.
const CALM_STEP_MS: u64 = 30_000;

/// What the page holds; everything shown follows from it.
#[derive(Clone, Copy)]
struct Held {
    events: StoredValue<Vec<Event>>,
    delegation: RwSignal<Delegation>,
    artifacts: RwSignal<Vec<ArtifactRecord>>,
    seen: RwSignal<Option<Seen>>,
    full: RwSignal<String>,
}

/// The page for one answer.
#[component]
pub(super) fn TaskView(asked: PageQuery, page: TaskPage) -> impl IntoView {
    let TaskPage { events, events_total, artifacts, tip, now_ms: answered_ms, stalled_after_ms, .. } = page;
    let TaskPage { seen, is_past, time, answer, full, .. } = page;
    let Some(delegation) = fold(&events) else {
        return view! { <Title text=t!("Task")/><h1>{t!("This task has no events")}</h1> }.into_any();
    };
    let left_out = events_total.map_or(0, |total| total.saturating_sub(events.len() as u64));
    let held = Held {
        events: StoredValue::new(events),
        delegation: RwSignal::new(delegation),
        artifacts: RwSignal::new(artifacts),
        seen: RwSignal::new(seen),
        full: RwSignal::new(full.text),
    };
    let now_ms = if is_past {
        // What has passed does not grow.
        Memo::new(move |_| answered_ms)
    } else {
        go_live(held, asked.clone(), Cursor::after(tip.as_ref()), answered_ms);
        use_now_ms(answered_ms)
    };
    let delegation = held.delegation.read_only();
    let class = format!("stack task-view {}", if asked.view.is_empty() { "lanes" } else { &asked.view });
    let (is_full, is_compact) = (asked.view == "full", asked.view == "compact");
    let lanes = (!is_full && !is_compact).then(|| {
        view! { <Lanes delegation=delegation now_ms=now_ms stalled_after_ms=stalled_after_ms is_past=is_past/> }
            .into_any()
    });
    let steps = if is_full { written(held.full) } else { view! { <Steps delegation=delegation/> }.into_any() };
    view! {
        {written(RwSignal::new(time.text))}
        <Head delegation=delegation asked=asked now_ms=now_ms stalled_after_ms=stalled_after_ms/>
        <Notes delegation=delegation now_ms=now_ms stalled_after_ms=stalled_after_ms left_out=left_out seen=held.seen/>
        <div class=class>
            {lanes}
            <div class="two">
                <section><h2>{t!("Every step")}</h2>{steps}</section>
                <div class="stack">
                    <RequestFacts delegation=delegation/>
                    <Artifacts delegation=delegation records=held.artifacts.read_only()/>
                    {written(RwSignal::new(answer.text))}
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// A place for what the hub wrote.
fn written(html: RwSignal<String>) -> AnyView {
    view! { <div class="written" inner_html=move || html.get()></div> }.into_any()
}

/// The ways to see the same events: `lanes` draws them.
const VIEWS: [&str; 3] = ["compact", "lanes", "full"];

/// Title, state, id, and what can be done with it.
#[component]
fn Head(
    delegation: ReadSignal<Delegation>,
    asked: PageQuery,
    now_ms: Memo<u64>,
    stalled_after_ms: u64,
) -> impl IntoView {
    let badge = move || {
        delegation.with(|d| {
            let mut also = Vec::new();
            if d.is_expired(now_ms.get()) {
                also.push(t!("expired"));
            }
            if d.is_stalled(now_ms.get(), stalled_after_ms) {
                also.push(t!("stalled"));
            }
            if d.open_question {
                also.push(t!("question"));
            }
            view! { <StateBadge state=d.state also=also/> }.into_any()
        })
    };
    let id = asked.id.clone();
    let in_log = href::log(&Filter::default().with(Column::CorrelationId, id.clone()), None);
    let here = asked.clone();
    let views = VIEWS.map(|view| {
        let is_this = view == here.view || (here.view.is_empty() && view == "lanes");
        let at = Some(("at", here.at.as_str())).filter(|at| !at.1.is_empty());
        let pairs = [("id", here.id.as_str()), ("view", view)].into_iter().chain(at);
        let target = format!("/task?{}", href::query(pairs));
        let label = match view {
            "compact" => t!("compact"),
            "lanes" => t!("lanes"),
            _ => t!("full"),
        };
        view! { <a class="button small" href=target aria-current=is_this.then_some("true")>{label}</a> }.into_any()
    });
    // The moment of the past that is now: from there on the way leads back.
    let newest = {
        let id = id.clone();
        move || {
            let newest = delegation.with(|d| d.steps.iter().max_by_key(|s| s.seq).map(|s| s.event_id.clone()));
            href::task_at(&id, &newest.unwrap_or_default())
        }
    };
    let machine =
        asked.at.is_empty().then(|| view! { <a class="button" href=newest>{t!("Time machine")}</a> }.into_any());
    view! {
        <Title text=move || delegation.with(|d| d.title.clone())/>
        <div class="page-head">
            <h1 class="grow">{move || delegation.with(|d| revealed(&d.title))}</h1>
            {machine}
            <a class="button" href=href::report(&id) rel="external" download>{t!("Report")}</a>
            <a class="button" href=in_log>{t!("In the log")}</a>
            <div class="page-sub">
                {move || badge()}
                <code id="task-id">{id.clone()}</code>
                <CopyButton text=id shown_by="task-id" label=t!("Copy id")/>
                <nav class="views" aria-label=t!("View")>{views.into_iter().collect_view()}</nav>
            </div>
        </div>
    }
}

/// The hub's clock, moving each second in the browser, or rarely where the reader asked for less motion.
fn use_now_ms(answered_ms: u64) -> Memo<u64> {
    let clock = use_page_clock();
    let calm = RwSignal::new(false);
    Effect::new(move |_| calm.set(browser::prefers_less_motion()));
    Memo::new(move |_| {
        let now_ms = clock.hub_now_ms(answered_ms);
        let step_ms = if calm.get() { CALM_STEP_MS } else { 1000 };
        (now_ms / step_ms * step_ms).max(answered_ms)
    })
}

/// Follows the correlation. What the page does not know well enough from the stream, it asks for again.
fn go_live(held: Held, asked: PageQuery, cursor: Cursor, answered_ms: u64) {
    let (clock, live) = (use_page_clock(), use_live());
    let (id, is_full) = (asked.id.clone(), asked.view == "full");
    let asked = PageQuery { in_page: false, ..asked };
    let ask_again = Throttle::new(ASK_GAP_MS, move || {
        let asked = asked.clone();
        spawn_local(async move {
            if let Ok(page) = ask::task(asked).await {
                clock.heard(page.now_ms);
                held.artifacts.try_set(page.artifacts);
                held.seen.try_set(page.seen);
                held.full.try_set(page.full.text);
                held.take(page.events);
            }
        });
    });
    Effect::new(move |_| {
        clock.heard(answered_ms);
        let filter = Filter::default().with(Column::CorrelationId, id.clone());
        live.follow(filter, cursor.clone(), move |arrivals| {
            let mut unsure = false;
            let mut events = Vec::new();
            for arrival in arrivals {
                match arrival {
                    Arrival::Event(event) => {
                        // The stream tells neither the artifacts' records nor, in a preview, the whole of a request.
                        unsure |= is_full
                            || !event.artifact_ids.is_empty()
                            || (event.body_truncated && event.event_type == "task.request");
                        events.push(*event);
                    }
                    Arrival::Unreadable { .. } | Arrival::Resynced => unsure = true,
                }
            }
            held.take(events);
            if unsure {
                ask_again.call();
            }
        });
    });
}

impl Held {
    /// Adds events and folds again. What comes twice is kept once, by the fold itself.
    fn take(self, new: Vec<Event>) {
        let folded = self.events.try_update_value(|events| {
            for event in new {
                match events.iter_mut().find(|known| known.id == event.id) {
                    Some(known) if known.body_truncated => *known = event,
                    Some(_) => {}
                    None => events.push(event),
                }
            }
            fold(events)
        });
        if let Some(Some(delegation)) = folded
            && self.delegation.try_with_untracked(|known| *known != delegation) == Some(true)
        {
            self.delegation.set(delegation);
        }
    }
}
