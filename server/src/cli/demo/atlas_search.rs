//! Delegations about the search of `demo/atlas`: two that were applied, one of them in two patches, and one that has stalled.

use loggia_domain::ArtifactKind;

use super::story::{ATLAS, Ask, LAB, MAC, MAINTAINER, Thread, WIN, after, ago};
use super::{logs, search_patches};

pub(super) fn threads() -> Vec<Thread> {
    vec![accents(), pages(), first_query()]
}

/// The plainest course: request, claim, patch, applied.
fn accents() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: WIN,
        goal: "Find place names typed without accents\n\nSearching for \"evora\" gives nothing, searching for \
               \"Évora\" gives one place. People type what their keyboard has. The index and the query go through \
               search/normalize.py, so one change should serve both.",
        done: "- \"evora\", \"Evora\" and \"ÉVORA\" find the same place\n- names in other scripts are found as before\n\
               - tests/test_normalize.py covers both",
        branch: "fix/accents",
        base: "32137fdb9a99358a87beec990f0d1b030aea5b0f",
    }
    .made(ago(8, 51, 20))
    .claim(after(2, 51), WIN, "Taking this. I start with the tests.")
    .patch(
        after(26, 12),
        WIN,
        search_patches::ACCENTS,
        "Folds case and drops combining marks, in one place for index and query.\n\nNFKD also turns ligatures and \
         full-width letters into plain ones, which I think is what we want. The index has to be built again once: \
         about four minutes for the full gazetteer.",
    )
    .tested(after(4, 2), MAC, logs::SEARCH_PASSED, "41 passed, 0 failed in 6.2 s on fix/accents.")
    .apply(
        after(8, 37),
        MAC,
        "Applied as 4be1f02. I read the diff, ran the tests and searched for twenty names of the old bug list: all \
         found. The rebuild of the index is scheduled.",
    )
    .nod(after(1, 5), WIN, "Seen. The branch can be deleted.")
}

/// One delegation, two patches that belong together.
fn pages() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAINTAINER,
        to: WIN,
        goal: "Page through search results without gaps or repeats\n\nPages are numbered. When a place is added while \
               somebody pages, one result is shown twice and another never. Use a cursor that names the last result \
               instead.",
        done: "1. GET /search answers `next`, a cursor or null\n2. an unreadable cursor is a 400 with a sentence\n3. \
               the page uses it and stops at the end",
        branch: "feature/search-cursor",
        base: "4be1f0264c0b2a7f0f2f7f8cc1f6f0f5f6b7d0e9",
    }
    .made(ago(6, 18, 0))
    .claim(
        after(4, 9),
        WIN,
        "Taking it. Two patches: the service first, then the page, so that each can be read alone.",
    )
    .patch(
        after(40, 50),
        WIN,
        search_patches::CURSOR_SERVICE,
        "Part 1 of 2, the service. The cursor holds rank and id, so equal ranks keep their order. One result more \
         than shown is asked for; that is how the service knows whether a next page exists.",
    )
    .reply(after(0, 40), WIN, MAINTAINER, "Please wait with applying: the page still sends `page=` until part 2 is in.")
    .patch(
        after(21, 58),
        WIN,
        search_patches::CURSOR_PAGE,
        "Part 2 of 2, the page. `complete` says whether the end was reached, so the button can go away.",
    )
    .tested(
        after(3, 47),
        MAINTAINER,
        logs::CURSOR_PASSED,
        "Both parts together: 41 passed, 0 failed in 6.4 s; 12 of 12 in the page.",
    )
    .review(
        after(5, 20),
        MAC,
        MAINTAINER,
        "I read both. A cursor from before a rebuild of the index may point between two results; that is harmless, it \
         only names a position. No objections.",
    )
    .apply(
        after(9, 31),
        MAINTAINER,
        "Applied both as c09d7aa and 51f3e66. Tried it with 3 000 results while an import ran: no gap, no repeat.",
    )
}

/// Claimed, one sign of life, then silence.
fn first_query() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAINTAINER,
        to: LAB,
        goal: "Answer the first query after a restart within a second\n\nThe first search after a restart takes eight \
               to eleven seconds, all later ones 40 ms. Whoever comes first thinks that the service is down.",
        done: "The first query takes at most one second on the lab machine, with the full gazetteer, measured five \
               times.",
        branch: "perf/first-query",
        base: "51f3e66a9b2d47c1859e6033f1c4be2d7708aa15",
    }
    .made(ago(2, 14, 30))
    .claim(after(2, 58), LAB, "Taking it. I measure before I change anything.")
    .reply(
        after(17, 44),
        LAB,
        MAINTAINER,
        "Nine of ten seconds are spent reading the index file in small pieces; 0.6 s go into the tokenizer. I try to \
         map the file instead of reading it. The profile is attached.",
    )
    .attach(ArtifactKind::Log, logs::FIRST_QUERY_PROFILE)
}
