//! Delegations of `demo/loggia`: one applied after a review round, one failed, one ready with a damaged patch, one claimed just now,
//! one open.

use loggia_domain::Status;

use super::story::{Ask, CI, LAB, LOGGIA, MAC, MAINTAINER, Thread, WIN, after, ago};
use super::{loggia_patches, logs};

pub(super) fn threads() -> Vec<Thread> {
    vec![heartbeat(), copied_artifacts(), exit_codes(), scrolling(), first_paint()]
}

/// The requester sends the first patch back.
fn heartbeat() -> Thread {
    Ask {
        stream: LOGGIA,
        from: MAINTAINER,
        to: MAC,
        goal: "Show the age of the last heartbeat in the badge\n\n\"live\" alone does not tell whether the last sign \
               of life came now or half a minute ago.",
        done: "The badge shows the age. Nothing beside it moves when the number changes.",
        branch: "feature/heartbeat-age",
        base: "a73edb3f38d326e09937b370c8ea587fd96b2d04",
    }
    .made(ago(8, 22, 5))
    .claim(after(1, 12), MAC, "Taking it.")
    .patch(after(31, 40), MAC, loggia_patches::HEARTBEAT_IN_MS, "The badge carries the age of the last heartbeat.")
    .review(
        after(9, 26),
        MAINTAINER,
        MAC,
        "Works, but milliseconds are too restless: the last digits flicker, and at 10 000 ms the width jumps. Please \
         use words for people: tenths of a second, then seconds, then minutes, and digits of one width.",
    )
    .answer(after(0, 48), MAC, Status::Claimed, "Yes, that is better. Second version follows.")
    .patch(
        after(12, 5),
        MAC,
        loggia_patches::HEARTBEAT_AGE,
        "Second version: \"live, 0.4 s\", \"stale for 45 s\", \"stale for 3 min\". Tabular digits and a width in \
         characters keep the neighbours still.",
    )
    .apply(
        after(6, 11),
        MAINTAINER,
        "Applied as 0d6a7be. Looked at for ten minutes in a narrow window: it stands still.",
    )
}

/// Failed, with the log of the tests that say why.
fn copied_artifacts() -> Thread {
    Ask {
        stream: LOGGIA,
        from: WIN,
        to: LAB,
        goal: "Refuse an artifact whose hash differs after a copy between hubs\n\nWhen an artifact is fetched from \
               another hub, its hash must be computed again before anybody sees it.",
        done: "A wrong hash is an error with both values. The test with 500 artifacts of 4 MB stays below ten \
               seconds.",
        branch: "fix/copied-hash",
        base: "0d6a7be52c81e94f7b36ad05c2e8f1907746ab3d",
    }
    .made(ago(5, 12, 20))
    .claim(after(2, 17), LAB, "Taking it.")
    .reply(
        after(31, 9),
        LAB,
        WIN,
        "The check is there and right. The time is not: 21 s for the 500 artifacts, all of it in the hash.",
    )
    .fail(
        after(52, 30),
        LAB,
        WIN,
        logs::COPY_FAILED,
        "Correct but too slow: 18.7 s instead of 10 s on this machine, which has no hardware support for SHA-256.\n\n\
         I tried hashing while receiving (17.9 s) and two threads (10.4 s, but only when nothing else runs). Either \
         the limit changes, or the check moves to a queue behind the copy. That is not mine to decide. The log is \
         attached.",
    )
    .nod(after(7, 33), WIN, "Understood, and thank you for the figures. I take the choice to the maintainer.")
}

/// Ready, and whoever looks sees the warning about its line ends.
fn exit_codes() -> Thread {
    Ask {
        stream: LOGGIA,
        from: MAC,
        to: WIN,
        goal: "Explain the exit codes of `watch` in the manual",
        done: "A table with every code, and one sentence on how a script should use them.",
        branch: "docs/watch-exit-codes",
        base: "0d6a7be52c81e94f7b36ad05c2e8f1907746ab3d",
    }
    .made(ago(1, 32, 0))
    .claim(after(3, 22), WIN, "Claimed.")
    .patch(
        after(66, 10),
        WIN,
        loggia_patches::EXIT_CODES.replace('\n', "\r\n"),
        "The table, and how to loop on 2. Checked every code by running it.",
    )
}

/// Claimed a few minutes ago.
fn scrolling() -> Thread {
    Ask {
        stream: LOGGIA,
        from: MAC,
        to: WIN,
        goal: "Keep the place in the log when new rows arrive\n\nWho has scrolled down to read loses the line with \
               every new event.",
        done: "While the list is scrolled, new rows are counted and not inserted. One key or click brings them in.",
        branch: "fix/keep-place",
        base: "9e04b7713fd2c8a65510be94d3a7f2c86b1e50da",
    }
    .made(ago(0, 15, 40))
    .claim(after(9, 12), WIN, "Taking it. First a test in the browser that shows the jump, then the repair.")
}

/// Open since a moment ago.
fn first_paint() -> Thread {
    Ask {
        stream: LOGGIA,
        from: MAC,
        to: CI,
        goal: "Measure the first paint of the board with 10 000 events",
        done: "Median and 95th percentile of 30 runs on the runner, cold and warm, as a JSON artifact.",
        branch: "main",
        base: "9e04b7713fd2c8a65510be94d3a7f2c86b1e50da",
    }
    .made(ago(0, 4, 5))
}
