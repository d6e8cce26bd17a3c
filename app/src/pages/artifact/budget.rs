//! How much of a large text is put on a page. Pure.

/// How many lines a page shows at most.
pub(super) const MAX_LINES: usize = 3000;
/// How many characters of one line are shown at most.
pub(super) const MAX_LINE_CHARS: usize = 2000;

/// How many bytes of text a page shows at most: long lines cost a browser more than many.
const MAX_BYTES: usize = 500_000;
pub(super) use crate::backend::FILES_SHOWN as MAX_FILES;

/// Hands out lines until there are none left.
#[derive(Debug)]
pub(super) struct Budget {
    lines: usize,
    bytes: usize,
}

impl Budget {
    /// A page's worth.
    pub(super) fn page() -> Self {
        Self { lines: MAX_LINES, bytes: MAX_BYTES }
    }

    /// How many lines may be shown of those that are so many bytes long.
    pub(super) fn take(&mut self, lengths: impl IntoIterator<Item = usize>) -> usize {
        let mut given = 0;
        for length in lengths {
            // Of an endless line the start is shown.
            let length = length.min(MAX_LINE_CHARS);
            if self.lines == 0 || length > self.bytes {
                break;
            }
            self.lines -= 1;
            self.bytes -= length;
            given += 1;
        }
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
        assert_eq!(budget.take(std::iter::repeat_n(1, 2999)), 2999);
        assert_eq!((budget.take([1; 5]), budget.take([1; 5])), (1, 0));
    }

    #[test]
    fn long_lines_use_a_page_up_before_there_are_many() {
        let mut budget = Budget::page();
        assert_eq!(budget.take([1_000_000; 260]), MAX_BYTES / MAX_LINE_CHARS);
        assert_eq!(budget.take([1]), 0);
    }

    #[test]
    fn a_final_newline_starts_no_line() {
        for (text, expected) in [("a\nb\n", 2), ("a\nb", 2), ("\n", 1), ("a\n\n", 2), ("", 0), ("a\r\nb", 2)] {
            assert_eq!(lines(text).count(), expected, "{text:?}");
        }
    }
}
