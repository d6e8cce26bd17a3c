//! What programs printed during the story: logs of tests, some in colour, figures as JSON, a note, a file.

pub(super) const SEARCH_PASSED: &str = "\
\u{1b}[1m============================= test session starts ==============================\u{1b}[0m
tests: index, normalize, search
collected 41 items

tests/test_index.py \u{1b}[32m.................\u{1b}[0m\u{1b}[32m                                    [ 41%]\u{1b}[0m
tests/test_normalize.py \u{1b}[32m......\u{1b}[0m\u{1b}[32m                                           [ 56%]\u{1b}[0m
tests/test_search.py \u{1b}[32m..................\u{1b}[0m\u{1b}[32m                                  [100%]\u{1b}[0m

\u{1b}[32m============================== \u{1b}[1m41 passed\u{1b}[0m\u{1b}[32m in 6.21s ==============================\u{1b}[0m
";

pub(super) const CURSOR_PASSED: &str = "\
tests: index, normalize, search
collected 41 items

tests/test_index.py .................                                    [ 41%]
tests/test_normalize.py ......                                           [ 56%]
tests/test_search.py ..................                                  [100%]

============================== 41 passed in 6.35s ==============================
web: 12 tests, 12 passed (340 ms)
";

pub(super) const IMPORT_PASSED: &str = "\
collected 59 items

tests/test_importer.py ........                                          [ 13%]
tests/test_index.py .................                                    [ 42%]
tests/test_normalize.py ......                                           [ 52%]
tests/test_places.py .........s                                          [ 69%]
tests/test_search.py ..................                                  [100%]

=========================== short test summary info ============================
SKIPPED [1] tests/test_places.py:88: needs the full gazetteer
======================== 58 passed, 1 skipped in 9.40s =========================
";

pub(super) const EXPORT_PASSED: &str = "\
collected 61 items

tests/test_export.py \u{1b}[32m..\u{1b}[0m
tests/test_importer.py \u{1b}[32m........\u{1b}[0m
tests/test_index.py \u{1b}[32m.................\u{1b}[0m
tests/test_normalize.py \u{1b}[32m......\u{1b}[0m
tests/test_places.py \u{1b}[32m.........\u{1b}[33ms\u{1b}[0m
tests/test_search.py \u{1b}[32m..................\u{1b}[0m

\u{1b}[33m=============================== warnings summary ===============================\u{1b}[0m
tests/test_export.py: ResourceWarning: unclosed file <places.geojson>
\u{1b}[33m======================== \u{1b}[32m60 passed\u{1b}[0m, \u{1b}[33m1 skipped\u{1b}[0m, \u{1b}[33m\u{1b}[1m1 warning\u{1b}[0m\u{1b}[33m in 8.83s\u{1b}[0m\u{1b}[33m =========================\u{1b}[0m
";

pub(super) const COPY_FAILED: &str = "\
\u{1b}[1m\u{1b}[32m   Compiling\u{1b}[0m hub v0.1.0
\u{1b}[1m\u{1b}[32m    Finished\u{1b}[0m `release` profile [optimized] target(s) in 48.20s
\u{1b}[1m\u{1b}[32m     Running\u{1b}[0m tests/copy.rs

running 6 tests
test a_copy_is_byte_for_byte_the_same ... \u{1b}[32mok\u{1b}[0m
test a_wrong_hash_names_both_values ... \u{1b}[32mok\u{1b}[0m
test a_copy_that_breaks_off_leaves_nothing ... \u{1b}[32mok\u{1b}[0m
test an_empty_artifact_is_refused ... \u{1b}[32mok\u{1b}[0m
test two_copies_at_once_give_one_artifact ... \u{1b}[33mignored\u{1b}[0m
test five_hundred_large_artifacts_within_ten_seconds ... \u{1b}[31mFAILED\u{1b}[0m

failures:

---- five_hundred_large_artifacts_within_ten_seconds stdout ----
copied 100 of 500 after 3.71 s
copied 200 of 500 after 7.46 s
copied 300 of 500 after 11.22 s
copied 400 of 500 after 14.95 s
copied 500 of 500 after 18.70 s

thread 'five_hundred_large_artifacts_within_ten_seconds' panicked at tests/copy.rs:142:5:
\u{1b}[1mthe copy took 18.70 s, at most 10 s are allowed\u{1b}[0m
note: of these 18.70 s: hash 16.31 s, network 1.52 s, disk 0.87 s

failures:
    five_hundred_large_artifacts_within_ten_seconds

test result: \u{1b}[31mFAILED\u{1b}[0m. 4 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 19.04s

\u{1b}[1m\u{1b}[31merror\u{1b}[0m: test failed, to rerun pass `--test copy`
";

pub(super) const FIRST_QUERY_PROFILE: &str = "\
first query after a restart, 5 runs, full gazetteer

  run   total    read index   tokenizer   rank    other
    1   9.81 s       8.92 s      0.61 s   0.04 s  0.24 s
    2  10.40 s       9.47 s      0.63 s   0.04 s  0.26 s
    3   9.66 s       8.80 s      0.59 s   0.04 s  0.23 s
    4  10.92 s      10.01 s      0.62 s   0.04 s  0.25 s
    5   9.70 s       8.81 s      0.62 s   0.04 s  0.23 s

read index: 1 216 004 reads of 4 096 bytes
";

pub(super) const TILE_FIGURES: &str = r#"{
  "sheet": "sample-07",
  "tiles": 21844,
  "seconds": {"1 worker": 2391.4, "2 workers": 1688.0, "4 workers": 1530.7, "8 workers": 1494.2},
  "waiting_for_disk": 0.81,
  "asked_for_within_30_days": {"tiles": 437, "share": 0.02},
  "by_zoom": [
    {"zoom": 6, "tiles": 1, "asked": 1},
    {"zoom": 8, "tiles": 16, "asked": 16},
    {"zoom": 10, "tiles": 256, "asked": 121},
    {"zoom": 12, "tiles": 4096, "asked": 203},
    {"zoom": 14, "tiles": 17475, "asked": 96}
  ]
}
"#;

pub(super) const BUILD_SUMMARY: &str = r#"{
  "build": 1187,
  "result": "passed",
  "projects": {"atlas": {"tests": 37, "seconds": 238.1}, "loggia": {"tests": 412, "seconds": 301.7}},
  "slowest": ["browser: log with 10 000 events", "import: full gazetteer"]
}
"#;

pub(super) const HANDOVER_NOTE: &str = "\
# Importer and tiles: where we are

* The importer reports what it leaves out. Next would be a summary by mail, not asked for yet.
* A worker pool for tiles does not pay. Figures are in the delegation; the short version is that nobody
  looks at 98 % of them.
* Open end: tiles drawn under an old style stay in memory until they fall out. Nobody has noticed so far.
";

pub(super) const SAMPLE_CONFIG: &str = "\
# Enough to see the slow first query: full gazetteer, no warm-up.
[gazetteer]
path = \"data/full.tsv\"

[search]
warm_up = false
read_size_bytes = 4096
";
