//! Delegations about the gazetteer and the maps of `demo/atlas` that have ended: one after a review round, one superseded, and the
//! one that took its place.

use loggia_domain::{ArtifactKind, Status};

use super::story::{ATLAS, Ask, LAB, MAC, Thread, WIN, after, ago};
use super::{import_patches, logs, map_patches};

pub(super) fn threads() -> Vec<Thread> {
    vec![malformed_rows(), worker_pool(), lazy_tiles()]
}

/// A question, a patch that was sent back, a better one.
fn malformed_rows() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: LAB,
        goal: "Go on importing after a malformed row\n\nThe import stops at the first row that it cannot read. The \
               last delivery had one broken line among 190 000, and the whole night was lost.",
        done: "An import adds every readable row. Whoever runs it learns which rows were left out, and why.",
        branch: "fix/import-rows",
        base: "4be1f0264c0b2a7f0f2f7f8cc1f6f0f5f6b7d0e9",
    }
    .made(ago(7, 40, 30))
    .claim(after(5, 2), LAB, "Mine.")
    .ask(
        after(6, 11),
        LAB,
        MAC,
        "What shall happen to a row with five columns instead of four: is that a malformed row, or do we ignore the \
         fifth?",
    )
    .reply(
        after(3, 15),
        MAC,
        LAB,
        "Malformed. A fifth column has so far always meant a tab inside a name, so the position would be wrong.",
    )
    .patch(after(18, 34), LAB, import_patches::SKIPS_ROWS, "Rows that cannot be read are skipped. The manual says so.")
    .review(
        after(11, 2),
        MAC,
        LAB,
        "Not yet. Two things:\n\n1. The rows disappear without a word. Half of the definition of done is that \
         somebody learns about them: line number and reason, please.\n2. A row with five columns is still imported, \
         the fifth column ignored.\n\nNot needed, but good: a limit, so that the wrong file is not read to its end.",
    )
    .answer(after(1, 20), LAB, Status::Claimed, "Agreed with all three. Working on a second version.")
    .patch(
        after(38, 46),
        LAB,
        import_patches::REPORTS_ROWS,
        "Second version: every row gives a place or a problem, and the import answers a report.\n\n- problems carry \
         line number and reason\n- wrong number of columns, empty names and impossible positions are problems too \
         (NaN included)\n- after 1 000 problems the file is given up\n\n`import_file` now answers a `Report` instead \
         of a number; the command line is the only caller.",
    )
    .tested(after(5, 8), MAC, logs::IMPORT_PASSED, "58 passed, 1 skipped, 0 failed in 9.4 s on fix/import-rows.")
    .review(after(6, 30), MAC, LAB, "Good. One question of taste: should 1 000 be a setting?")
    .reply(
        after(2, 10),
        LAB,
        MAC,
        "I would wait until somebody needs another number. It is a constant with a comment for now.",
    )
    .apply(
        after(7, 55),
        MAC,
        "Applied as 88d20c3. Last night's file gives 189 999 places and one problem: line 73 112, 5 columns instead \
         of 4.",
    )
}

/// Given up by its requester in favour of the next one.
fn worker_pool() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: LAB,
        goal: "Draw the tiles of a sheet in a pool of workers\n\nDrawing all tiles of a new sheet takes forty minutes \
               on one core. The lab machine has eight.",
        done: "All tiles of the sample sheet are there after at most eight minutes, byte for byte the same as before.",
        branch: "perf/tile-pool",
        base: "88d20c3f4a6e19b07c5d2288e0b1f3a964d7c5e1",
    }
    .made(ago(5, 44, 40))
    .claim(after(3, 28), LAB, "Taking it, with a measurement first.")
    .reply(
        after(24, 5),
        LAB,
        MAC,
        "Before I go on: a pool of eight is only 1.6 times as fast, since the workers wait for the disk. And by the \
         access log of a month, 98 % of the tiles were never asked for. Do we want to draw them at all?",
    )
    .attach(ArtifactKind::Json, logs::TILE_FIGURES)
    .answer(
        after(13, 50),
        MAC,
        Status::Superseded,
        "You are right, this was the wrong question. Replaced by \"Draw tiles when they are asked for\"; your figures \
         are the reason.",
    )
    .nod(after(0, 52), LAB, "Fine. I keep the branch for a week, then delete it.")
}

fn lazy_tiles() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: WIN,
        goal: "Draw tiles when they are asked for\n\nInstead of all tiles ahead of time: draw a tile at its first \
               request and keep the last 200 in memory. See the figures in the delegation that this one replaces.",
        done: "A new sheet can be looked at within a second of its arrival. Memory stays below 64 MB.",
        branch: "feature/lazy-tiles",
        base: "88d20c3f4a6e19b07c5d2288e0b1f3a964d7c5e1",
    }
    .made(ago(5, 0, 15))
    .claim(after(6, 3), WIN, "Claimed. I shall keep the drawing itself as it is.")
    .reply(after(19, 20), WIN, MAC, "Halfway: the cache is there, the renderer follows. No surprises so far.")
    .patch(
        after(24, 41),
        WIN,
        map_patches::LAZY_TILES,
        "Tiles are drawn at their first request; the last 200 stay in memory, 31 MB at most with the sample sheet.\n\n\
         Two requests for the same new tile at once draw it twice. A lock for each key would prevent that, but it \
         costs more than it saves.",
    )
    .review(after(8, 14), MAC, WIN, "I agree about drawing twice, the comment says why. Nothing to add.")
    .apply(after(12, 48), MAC, "Applied as e71b9d4. First tile of a fresh sheet: 210 ms.")
}
