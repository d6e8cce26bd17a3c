//! Delegations of `demo/shared`, the things that all projects use: a quick one, a race of two claims, and one that is blocked.

use std::time::Duration;

use loggia_domain::Status;

use super::loggia_patches;
use super::story::{Ask, CI, EVERYBODY, LAB, MAC, MAINTAINER, SHARED, Thread, WIN, after, ago};

pub(super) fn threads() -> Vec<Thread> {
    vec![dependencies(), formatter(), signing_key()]
}

fn dependencies() -> Thread {
    Ask {
        stream: SHARED,
        from: WIN,
        to: CI,
        goal: "Keep the dependency folder between test runs\n\nEvery run installs everything again: 3 min 10 s of 4 \
               min.",
        done: "A run with unchanged lock file starts its tests within 20 s. A changed lock file installs anew.",
        branch: "pipeline/keep-dependencies",
        base: "8577fa34f21b3259fc07c802e6ee91b793249dcb",
    }
    .made(ago(7, 5, 10))
    .claim(after(0, 6), CI, "claimed by runner 1")
    .patch(
        after(9, 18),
        CI,
        loggia_patches::CACHED_DEPENDENCIES,
        "The folder is named by the interpreter's version, the lock file and the install script. Cold 3 min 58 s, \
         warm 51 s.",
    )
    .apply(
        after(11, 40),
        WIN,
        "Applied as 7c1d3e0. Three runs: 3 min 55 s, 49 s, 52 s. After a change of the lock file: 3 min 57 s, as it \
         should be.",
    )
}

/// Asked of everybody, claimed by two within half a second. The earlier claim counts, the later agent steps back.
fn formatter() -> Thread {
    Ask {
        stream: SHARED,
        from: MAINTAINER,
        to: EVERYBODY,
        goal: "Use one version of each formatter on all machines\n\nHalf of the lines in recent diffs are formatting \
               that another machine undoes. Whoever has time may take this.",
        done: "tools/format.sh refuses to run with another version and says what to do.",
        branch: "tools/pinned-formatter",
        base: "7c1d3e0b85f2a94416c7d3380ea9f5b1d2706e4c",
    }
    .made(ago(3, 52, 30))
    .claim(after(1, 4), WIN, "I take this one.")
    .claim(Duration::from_millis(400), LAB, "Taking it.")
    .answer(after(0, 3), LAB, Status::Superseded, "win:codex was 0.4 s earlier. I step back and have changed nothing.")
    .patch(
        after(17, 6),
        WIN,
        loggia_patches::PINNED_FORMATTER,
        "The wanted versions are in tools/versions.txt; the script stops with a sentence when another one is \
         installed.",
    )
    .review(
        after(10, 12),
        MAC,
        MAINTAINER,
        "Tried with a wrong version of each: both times the right sentence and exit code 1.",
    )
    .apply(after(8, 20), MAINTAINER, "Applied as 2f90ac8. Everybody: run tools/install.sh once.")
}

/// Blocked: it needs a decision, and nobody has answered.
fn signing_key() -> Thread {
    Ask {
        stream: SHARED,
        from: MAINTAINER,
        to: CI,
        goal: "Replace the signing key of the nightly build\n\nThe present key ends in nine days.",
        done: "The nightly build is signed with the new key, and the old one is listed as retired.",
        branch: "pipeline/signing-key",
        base: "2f90ac8d714b05e3c96a8f127de4b0359c6817fa",
    }
    .made(ago(1, 48, 0))
    .claim(after(0, 5), CI, "claimed by runner 2")
    .reply(
        after(5, 50),
        CI,
        MAINTAINER,
        "The new key is made and stored. The public half is in keys/nightly-2.pub on the branch.",
    )
    .ask(
        after(8, 31),
        CI,
        MAINTAINER,
        "From which build on shall the new key sign? If both keys are valid for a while, old installations can still \
         update; if not, they must be updated by hand.",
    )
    .answer(after(0, 4), CI, Status::Blocked, "Waits for a decision: overlap of both keys, or a hard change?")
}
