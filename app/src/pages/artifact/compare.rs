//! Two patches of one piece of work, file by file: what the second one has that the first has not. Pure.
//!
//! Compared are the lines of the hunks with their signs; where a hunk stands and what git writes around it do not count.

use std::collections::HashMap;

use super::diff::{File, Kind, Line};

/// More pairs of lines than this are not aligned in one file, since it would take too much room.
const MAX_PAIRS: usize = 4_000_000;
/// Nor are more than this in all files together, since it would take too long.
const MAX_PAIRS_IN_ALL: usize = 5 * MAX_PAIRS;

/// How a file differs between the patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    /// It is in the first patch alone.
    FirstOnly(File),
    /// It is in the second patch alone.
    SecondOnly(File),
    /// Both change it in the same way.
    Same(String),
    /// Both change it, differently: the lines of both, those of the first alone as removed, those of the second alone as added.
    Changed(String, Vec<Line>),
    /// Both change it, too differently to be aligned.
    Unaligned(String),
}

/// Every file of either patch: those of the second in its order, then what only the first has.
pub(super) fn compare(first: Vec<File>, second: Vec<File>) -> Vec<Difference> {
    let mut first: Vec<Option<File>> = first.into_iter().filter(File::is_diff).map(Some).collect();
    // Places by path; of a path that is there more than once, the first place comes off first.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, file) in first.iter().enumerate().rev() {
        places.entry(file.as_ref().map(|file| file.path.clone()).unwrap_or_default()).or_default().push(at);
    }
    let mut left = MAX_PAIRS_IN_ALL;
    let mut differences = Vec::new();
    for file in second.into_iter().filter(File::is_diff) {
        let place = places.get_mut(&file.path).and_then(Vec::pop);
        differences.push(match place.and_then(|at| first[at].take()) {
            None => Difference::SecondOnly(file),
            Some(twin) => both(&twin, file, &mut left),
        });
    }
    differences.extend(first.into_iter().flatten().map(Difference::FirstOnly));
    differences
}

/// A file that both have; `left` is how many pairs of lines may still be looked at.
fn both(first: &File, second: File, left: &mut usize) -> Difference {
    let content = |file: &File| -> Vec<String> {
        let is_content = |line: &&Line| matches!(line.kind, Kind::Context | Kind::Added | Kind::Removed);
        file.lines.iter().filter(is_content).map(|line| line.text.clone()).collect()
    };
    let (old, new) = (content(first), content(&second));
    if old == new && first.marks == second.marks {
        return Difference::Same(second.path);
    }
    match align(&old, &new, left) {
        Some(lines) => Difference::Changed(second.path, lines),
        None => Difference::Unaligned(second.path),
    }
}

/// The lines of both in one order, by the longest common subsequence.
fn align(old: &[String], new: &[String], left: &mut usize) -> Option<Vec<Line>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let pairs = a.len().saturating_mul(b.len());
    if pairs > MAX_PAIRS.min(*left) {
        return None;
    }
    *left -= pairs;
    // `longest[i][j]`: how many lines `a[i..]` and `b[j..]` have in common.
    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let line = |kind, text: &String| Line { kind, old: None, new: None, text: text.clone() };
    let mut lines: Vec<Line> = old[..head].iter().map(|text| line(Kind::Context, text)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push(line(Kind::Context, &a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            lines.push(line(Kind::Removed, &a[i]));
            i += 1;
        } else {
            lines.push(line(Kind::Added, &b[j]));
            j += 1;
        }
    }
    lines.extend(old[old.len() - tail..].iter().map(|text| line(Kind::Context, text)));
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;
    use super::*;

    fn patch(path: &str, start: u32, lines: &[&str]) -> String {
        let olds = lines.iter().filter(|l| !l.starts_with('+')).count();
        let news = lines.iter().filter(|l| !l.starts_with('-')).count();
        format!(
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{start},{olds} +{start},{news} @@\n{}\n",
            lines.join("\n")
        )
    }

    #[test]
    fn where_a_hunk_stands_is_no_difference() {
        let first = parse(&patch("a.rs", 10, &[" x", "-y", "+z"]));
        let second = parse(&patch("a.rs", 12, &[" x", "-y", "+z"]));
        assert_eq!(compare(first, second), [Difference::Same("a.rs".to_owned())]);
    }

    #[test]
    fn what_only_one_has_is_told_from_what_both_change() {
        let first = parse(&(patch("a.rs", 1, &[" x", "-y", "+z", " end"]) + &patch("b.rs", 1, &["+b"])));
        let second = parse(&(patch("c.rs", 1, &["+c"]) + &patch("a.rs", 1, &[" x", "-y", "+w", "+z2", " end"])));
        let found = compare(first, second);
        assert!(matches!(&found[0], Difference::SecondOnly(file) if file.path == "c.rs"), "{found:?}");
        let Difference::Changed(path, lines) = &found[1] else { panic!("{found:?}") };
        let told: Vec<(Kind, &str)> = lines.iter().map(|l| (l.kind, l.text.as_str())).collect();
        assert_eq!(path, "a.rs");
        assert_eq!(
            told,
            [
                (Kind::Context, " x"),
                (Kind::Context, "-y"),
                (Kind::Removed, "+z"),
                (Kind::Added, "+w"),
                (Kind::Added, "+z2"),
                (Kind::Context, " end"),
            ]
        );
        assert!(matches!(&found[2], Difference::FirstOnly(file) if file.path == "b.rs"), "{found:?}");
    }

    #[test]
    fn what_would_take_too_long_is_said_to_be_unaligned() {
        let mut plenty = usize::MAX;
        let many = |word: &str| (0..2100).map(|n| format!("+{word}{n}")).collect::<Vec<_>>();
        assert_eq!(align(&many("a"), &many("b"), &mut plenty), None);
        assert!(align(&many("a"), &many("a"), &mut 0).is_some());
    }

    #[test]
    fn many_files_together_take_no_longer_than_a_few() {
        let lines = |word: &str| (0..10).map(|n| format!("+{word}{n}")).collect::<Vec<_>>();
        let mut left = 250;
        let is_aligned = std::iter::repeat_with(|| align(&lines("a"), &lines("b"), &mut left).is_some());
        assert_eq!(is_aligned.take(4).collect::<Vec<_>>(), [true, true, false, false]);
    }

    #[test]
    fn a_path_that_is_there_twice_is_compared_twice() {
        let of = |signs: [&str; 2]| parse(&signs.map(|sign| patch("a.rs", 1, &[sign])).concat());
        let found = compare(of(["+x", "+y"]), of(["+x", "+z"]));
        assert!(matches!(&found[..], [Difference::Same(_), Difference::Changed(..)]), "{found:?}");
    }
}
