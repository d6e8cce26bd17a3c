//! What the tests leave behind for the check at the end of the whole gate, that no secret is in it: what hubs logged, and what they answered
//! to a GET. Without `LOGGIA_TEST_LOGS`, which names the folder, nothing is kept.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The largest answer that is kept: pages are smaller, what is larger are artifacts and bodies.
const MAX_ANSWER_BYTES: usize = 512 * 1024;

/// The folder's path and what begins the names of this process's files.
static FOLDER: LazyLock<Option<String>> = LazyLock::new(|| {
    let folder = std::env::var("LOGGIA_TEST_LOGS").ok().filter(|folder| !folder.is_empty())?;
    Some(format!("{folder}/it-{}", std::process::id()))
});

/// Answers of all tests, one after the other.
static ANSWERS: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = format!("{}-answers.txt", FOLDER.as_ref()?);
    Some(Mutex::new(File::create(path).expect("the folder was made by whoever named it")))
});

/// Keeps an answer to a GET.
pub(crate) fn answer(body: &[u8]) {
    let Some(file) = ANSWERS.as_ref().filter(|_| body.len() <= MAX_ANSWER_BYTES) else { return };
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.write_all(body).and_then(|()| file.write_all(b"\n")).expect("there is room for what the tests leave behind");
}

/// Keeps what the hubs of a place logged.
pub(crate) fn log(path: &Path) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = FOLDER.as_ref().filter(|_| path.exists()) else { return };
    let kept = format!("{folder}-{}.log", NEXT.fetch_add(1, Ordering::Relaxed));
    fs::copy(path, kept).expect("there is room for what the tests leave behind");
}
