//! What the build tool says while it works: one prefix, steps with their time, and the error at the end.
//! The only place of this package that prints.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// Says one line.
#[expect(clippy::print_stderr, reason = "the build tool talks to the person at the terminal")]
pub(crate) fn say(line: &str) {
    eprintln!("xtask: {line}");
}

/// Says what went wrong, with its causes.
#[expect(clippy::print_stderr, reason = "the build tool talks to the person at the terminal")]
pub(crate) fn failure(error: &anyhow::Error) {
    eprintln!("xtask: error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  caused by: {}", cause.to_string().replace('\n', "\n    "));
    }
}

/// Runs one named step of `total` and says when it starts and how long it took.
pub(crate) fn step<T>(number: usize, total: usize, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(&format!("[{number}/{total}] {name}"));
    let started = Instant::now();
    let outcome = work()
        .with_context(|| format!("step {number} of {total}, `{name}`, failed after {}", elapsed(started.elapsed())))?;
    say(&format!("[{number}/{total}] {name}: ok, {}", elapsed(started.elapsed())));
    Ok(outcome)
}

/// A duration as people say it: tenths of a second below a minute, minutes and seconds above.
pub(crate) fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        assert_eq!(elapsed(Duration::from_millis(1_540)), "1.5 s");
        assert_eq!(elapsed(Duration::from_mins(1)), "1 min 0 s");
        assert_eq!(elapsed(Duration::from_secs(605)), "10 min 5 s");
    }

    #[test]
    fn a_failed_step_is_named() {
        let error =
            step(2, 3, "clippy", || -> Result<()> { anyhow::bail!("three warnings") }).expect_err("the work fails");
        assert!(error.to_string().starts_with("step 2 of 3, `clippy`, failed after "), "{error}");
    }
}
