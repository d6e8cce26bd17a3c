//! How much of a large text is put on a page. Pure.

/// How many lines a page shows at most.
pub(super) const MAX_LINES: usize = 3000;
/// How many characters of one line are shown at most.
pub(super) const MAX_LINE_CHARS: usize = 2000;

/// Hands out lines until there are none left.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    /// A page's worth.
    pub(super) fn page() -> Self {
        Self { left: MAX_LINES }
    }

    /// How many of `wanted` lines may be shown.
    pub(super) fn take(&mut self, wanted: usize) -> usize {
        let given = wanted.min(self.left);
        self.left -= given;
        given
    }
}

/// The lines of a text; a final newline ends the last line and starts none.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let whole = text.strip_suffix('\n').unwrap_or(text);
    let is_empty = text.is_empty();
    whole.split('\n').filter(move |_| !is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_so_many_lines_and_no_more() {
        let mut budget = Budget::page();
        assert_eq!(budget.take(2999), 2999);
        assert_eq!((budget.take(5), budget.take(5)), (1, 0));
    }

    #[test]
    fn a_final_newline_starts_no_line() {
        for (text, expected) in [("a\nb\n", 2), ("a\nb", 2), ("\n", 1), ("a\n\n", 2), ("", 0), ("a\r\nb", 2)] {
            assert_eq!(lines(text).count(), expected, "{text:?}");
        }
    }
}
