//! `/log`: the log, newest first. Rendered by the hub, live after hydration; every filter is in the address.

mod asked;
mod chips;
mod filter_form;
mod follow;
mod tree;
mod view;
mod window;

use leptos::prelude::*;
use leptos_meta::Title;

use super::use_search;
use crate::ask;
use crate::parts::{Busy, Failure};
use asked::Asked;
use view::LogView;

/// Loads the part of the log that the address names.
#[component]
pub fn LogRoute() -> impl IntoView {
    let search = use_search();
    let asked = Memo::new(move |_| Asked::parse(&search.get()));
    let page = Resource::new(move || asked.with(Asked::query), ask::log);
    let streams = Resource::new(|| (), |()| ask::streams());
    view! {
        <Title text="Log"/>
        <Transition fallback=Busy>
            {move || Suspend::new(async move {
                let (page, streams) = (page.await, streams.await);
                match page {
                    Ok(page) => {
                        view! { <LogView asked=asked.get_untracked() page=page streams=streams.unwrap_or_default()/> }.into_any()
                    }
                    Err(error) => view! { <Failure error=error what="the log"/> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}
