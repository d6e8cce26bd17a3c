//! An agent's name with its swatch.

use leptos::prelude::*;

use crate::language::t;

use super::revealed;

/// How many hues there are; the stylesheet has one class for each.
const HUES: u32 = 12;

/// A name with a small square whose hue follows from the name, the same on every page and every hub.
#[component]
pub fn Agent(
    /// The name, as written.
    #[prop(into)]
    name: String,
) -> impl IntoView {
    let swatch =
        (name != "*").then(|| view! { <i class=format!("hue-{}", hue(&name)) aria-hidden="true"></i> }.into_any());
    let title = (name == "*").then_some(t!("everybody"));
    // People who write from a browser are named so; the stylesheet marks them.
    let class = if name.starts_with("human:") { "agent person" } else { "agent" };
    view! { <span class=class title=title>{swatch}{revealed(&name)}</span> }
}

/// From whom to whom.
#[component]
pub fn AgentPair(
    /// Who wrote.
    #[prop(into)]
    from: String,
    /// For whom.
    to: Option<String>,
) -> impl IntoView {
    let to = to.map(|to| view! { <span class="arrow" aria-label=t!("to")>" → "</span><Agent name=to/> }.into_any());
    view! { <span class="agents"><Agent name=from/>{to}</span> }
}

/// FNV-1a over the name, folded to one of the hues.
pub fn hue(name: &str) -> u32 {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 16)) % HUES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_of_twelve_hues_and_keeps_it() {
        assert_eq!(hue("mac:claude"), hue("mac:claude"));
        let hues: std::collections::BTreeSet<u32> = (0..200).map(|i| hue(&format!("agent:{i}"))).collect();
        assert_eq!(hues, (0..HUES).collect());
    }
}
