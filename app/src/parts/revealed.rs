//! Text from outside, as text: characters that a reader would not see are written out.

use leptos::prelude::*;

use crate::words::{Piece, count_hidden, pieces};

/// A text node, or several with marks between them where the text has hidden characters.
pub fn revealed(text: &str) -> AnyView {
    if count_hidden(text) == 0 {
        return text.to_owned().into_any();
    }
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.into_any(),
            Piece::Hidden(name) => view! { <span class="hidden-char">{name}</span> }.into_any(),
        })
        .collect_view()
        .into_any()
}
