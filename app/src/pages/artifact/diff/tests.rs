//! Tests of the diff classifier: files, hunks, counts and odd inputs.

use super::*;

const TWO_FILES: &str = "\
From 1234 Mon Sep 17 00:00:00 2001
Subject: [PATCH] two files

diff --git a/src/a.sql b/src/a.sql
index 111..222 100644
--- a/src/a.sql
+++ b/src/a.sql
@@ -1,3 +1,3 @@ head
 select 1;
--- an old comment
++++ a new one
 select 2;
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
";

#[test]
fn every_line_is_in_one_place_and_no_line_is_lost() {
    for text in [TWO_FILES, "", "plain\ntext", "@@ -1 +1 @@\n-a\n+b\n", &TWO_FILES.replace('\n', "\r\n")] {
        let files = parse(text);
        let lines: Vec<&str> = files.iter().flat_map(|f| f.lines.iter().map(|l| l.text.as_str())).collect();
        assert_eq!(lines, super::super::budget::lines(text).collect::<Vec<_>>());
    }
}

#[test]
fn headers_inside_a_hunk_are_content() {
    let files = parse(TWO_FILES);
    assert_eq!(files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["", "src/a.sql", "new.txt"]);
    assert_eq!((files[1].added, files[1].removed), (1, 1));
    assert_eq!((files[2].added, files[2].removed, files[2].marks.as_slice()), (1, 0, &["new file"][..]));
    assert!(!files[0].is_diff());
}

#[test]
fn both_sides_are_numbered() {
    let files = parse(TWO_FILES);
    let numbers: Vec<(Option<u32>, Option<u32>)> =
        files[1].lines.iter().filter(|l| !matches!(l.kind, Kind::Note | Kind::Hunk)).map(|l| (l.old, l.new)).collect();
    assert_eq!(numbers, [(Some(1), Some(1)), (Some(2), None), (None, Some(2)), (Some(3), Some(3))]);
}

#[test]
fn a_plain_diff_needs_no_git_header() {
    let text = "--- old/x.c\t2026-01-01\n+++ new/x.c\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- old/y.c\n+++ new/y.c\n@@ -1 +1,2 @@\n a\n+b\n";
    let files = parse(text);
    assert_eq!(files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["new/x.c", "new/y.c"]);
    assert_eq!(files[0].old_path.as_deref(), Some("old/x.c"));
    assert_eq!((files[1].added, files[1].removed), (1, 0));
}

#[test]
fn renames_deletions_and_binaries_are_named() {
    let text = "diff --git a/a b.txt b/c d.txt\nsimilarity index 100%\nrename from a b.txt\nrename to c d.txt\n\
                diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n";
    let files = parse(text);
    let seen: Vec<(&str, &[&str])> = files.iter().map(|f| (f.path.as_str(), f.marks.as_slice())).collect();
    assert_eq!(seen, [("c d.txt", &["renamed"][..]), ("gone", &["deleted"][..]), ("i.png", &["binary"][..])]);
}

#[test]
fn a_hunk_that_promises_more_than_it_has_ends_where_the_next_file_starts() {
    let text = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-p\n+q\n";
    let files = parse(text);
    let seen: Vec<(&str, &[Fault])> = files.iter().map(|f| (f.path.as_str(), f.faults.as_slice())).collect();
    assert_eq!(seen, [("x", &[Fault::Cut][..]), ("y", &[])]);
    assert_eq!(parse("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n")[0].faults, [Fault::Cut]);
    assert!(parse(TWO_FILES).iter().all(|file| file.faults.is_empty()));
}

/// The files of a text with their faults.
fn faults(text: &str) -> Vec<(String, Vec<Fault>)> {
    parse(text).into_iter().map(|file| (file.path, file.faults)).collect()
}

#[test]
fn lines_that_no_hunk_counts_are_noticed() {
    let hunk = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    for behind in
        ["+dropped\n", " dropped\n", "\\ No newline at end of file\n+dropped\n", "\n+dropped\n", "\nwords\n-dropped\n"]
    {
        assert_eq!(faults(&format!("{hunk}{behind}")), [("x".to_owned(), vec![Fault::Surplus])], "{behind}");
    }
    let mail = format!("{hunk}-- \n2.43.0\n\nFrom 1234 Mon Sep 17\nSubject: two\n\n- a point\n+ another\n---\n{hunk}");
    let next = format!("{hunk}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n");
    for whole in [hunk, &mail, &next] {
        assert!(faults(whole).iter().all(|(_, faults)| faults.is_empty()), "{whole}");
    }
}

#[test]
fn a_name_is_the_one_that_git_changes() {
    let head = "diff --git a/auth b/auth\n--- a/auth\n+++ b/auth\n";
    let hunk = "@@ -1 +1 @@\n-a\n+EVIL\n";
    // Behind a hunk git reads no header, and `--- ` alone begins no file.
    for behind in [
        "rename to README.md\n",
        "copy to README.md\n",
        "Binary files were removed\n",
        "--- a/README.md\n",
        "deleted file mode 1\n",
    ] {
        let files = parse(&format!("{head}{hunk}{behind}"));
        assert_eq!((files.len(), files[0].path.as_str(), files[0].marks.len()), (1, "auth", 0), "{behind}");
    }
    // Two heads that name different files.
    assert_eq!(faults(&head.replace("+++ b/auth", "+++ b/README.md"))[0].1, [Fault::OddHead]);
    let renamed = "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n";
    for whole in [format!("{renamed}{hunk}"), format!("diff --git x x\n--- x\n+++ x\n{hunk}"), format!("{head}{hunk}")]
    {
        assert!(faults(&whole)[0].1.is_empty(), "{whole}");
    }
}

#[test]
fn heads_that_git_does_not_read_are_odd() {
    let head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for odd in ["@@ -0,0 +0,0 @@\n", "@@ -1,0 +1,0 @@\n+evil\n", &format!("{hunk}words\n{hunk}")] {
        assert!(faults(&format!("{head}{odd}"))[0].1.contains(&Fault::OddHead), "{odd}");
    }
    assert_eq!(faults("diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n")[0].1, [Fault::OddHead]);
    // A sign is no digit, and numbers as large as they can be are numbers.
    assert!(parse(&format!("{head}@@ -+1 +1 @@\n-a\n+b\n"))[0].is_idle());
    let large = parse(&format!("{head}@@ -4294967295,3 +4294967295,3 @@\n a\n-b\n+c\n d\n"));
    assert_eq!((large[0].added, large[0].removed, large[0].faults.len()), (1, 1, 0));
    assert!(parse("diff --git a/x b/x\nindex 1..2\n")[0].is_idle());
    assert!(!parse("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")[0].is_idle());
}

#[test]
fn a_part_is_the_change_wherever_it_stands() {
    let patch = |index: &str, at: u32, new: &str| {
        let text = format!("diff --git a/x b/x\nindex {index}\n--- a/x\n+++ b/x\n@@ -{at} +{at} @@\n-a\n+{new}\n");
        parse(&text)[0].part()
    };
    assert_eq!(patch("1..2", 1, "b"), patch("3..4", 70, "b"));
    assert_ne!(patch("1..2", 1, "b"), patch("1..2", 1, "c"));
    let binary = |data: &str| parse(&format!("diff --git a/i b/i\nGIT binary patch\nliteral 1\n{data}\n"))[0].part();
    assert_ne!(binary("Ia"), binary("Ib"));
}

#[test]
fn the_text_of_a_file_is_a_patch_of_its_own_to_the_byte() {
    let whole = |content: &str| {
        let artifact = Artifact { content: content.to_owned(), ..artifact() };
        let count = parse(content).len();
        (0..count).map(|place| file_text(&artifact, place)).collect::<Vec<_>>()
    };
    let (first, rest) = TWO_FILES.split_at(TWO_FILES.find("diff --git a/new").expect("the second file"));
    let first = &first[first.find("diff").expect("the first file")..];
    assert_eq!(whole(TWO_FILES), [None, Some(first.to_owned()), Some(rest.to_owned())]);
    // Carriage returns stay, and a last line without a newline gets none.
    let odd = format!("{}\r", rest.trim_end());
    assert_eq!(whole(&odd), [Some(odd.clone())]);
    assert_eq!(file_text(&Artifact { content: odd, ..artifact() }, 7), None);
}

fn artifact() -> Artifact {
    serde_json::from_str(
        r#"{"id": "art_1", "kind": "patch", "sha256": "", "size_bytes": 0, "content": "", "created_by": "a", "created_at": "",
            "metadata": {}}"#,
    )
    .expect("an artifact")
}

#[test]
fn large_and_generated_files_are_folded_with_a_reason() {
    let file = |path: &str, lines: usize| File {
        path: path.to_owned(),
        lines: vec![Line { kind: Kind::Note, old: None, new: None, text: String::new() }; lines],
        ..File::default()
    };
    assert_eq!(file("a/Cargo.lock", 1).folded_because(), Some("generated"));
    assert_eq!(file("a/main.rs", 501).folded_because(), Some("large"));
    assert_eq!(file("a/main.rs", 500).folded_because(), None);
}
