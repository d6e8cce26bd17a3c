//! Delegations of `demo/atlas` that wait for somebody: a patch to look at, work under way, a request nobody has taken, and one whose
//! time is over.

use super::story::{ATLAS, Ask, CI, EVERYBODY, LAB, MAC, MAINTAINER, Mark, Thread, after, ago};
use super::{logs, map_patches};

pub(super) fn threads() -> Vec<Thread> {
    vec![geojson(), settings(), backup(), nightly_import()]
}

/// Ready: the patch is there and tested, its requester has not looked yet.
fn geojson() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: LAB,
        goal: "Export the gazetteer as GeoJSON\n\nThe table of names and positions is fine for spreadsheets. Map \
               programs want GeoJSON (RFC 7946).",
        done: "`atlas export --format geojson` writes a file that a map program opens. Memory stays flat with a \
               million places.",
        branch: "feature/geojson",
        base: "e71b9d4c02f85a3316d97e48b1ac50d2f7e9036b",
    }
    .made(ago(2, 38, 0))
    .claim(after(2, 41), LAB, "Claimed. The standard wants longitude first, I shall write a test for exactly that.")
    .reply(
        after(48, 0),
        LAB,
        MAC,
        "The writer works and streams. What is missing: the option on the command line, and tests.",
    )
    .patch(
        after(58, 52),
        LAB,
        map_patches::GEOJSON,
        "Writes one feature at a time: 1 000 000 places take 14 s and 22 MB. Positions are rounded to six digits, \
         about ten centimetres.\n\nThe command line option comes for free, it lists the functions named `export_*`.",
    )
    .tested(
        after(4, 10),
        MAC,
        logs::EXPORT_PASSED,
        "60 passed, 1 skipped, 0 failed, 1 warning in 8.8 s on feature/geojson.",
    )
}

/// Claimed and alive.
fn settings() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAINTAINER,
        to: MAC,
        goal: "Split the settings page into sections\n\nIt has grown to 34 settings in one column. People scroll past \
               what they look for.",
        done: "Sections with headings that can be linked to. No setting changes its name or its default.",
        branch: "feature/settings-sections",
        base: "e71b9d4c02f85a3316d97e48b1ac50d2f7e9036b",
    }
    .made(ago(0, 58, 10))
    .claim(after(1, 31), MAC, "Taking it.")
    .ask(
        after(8, 4),
        MAC,
        MAINTAINER,
        "Three settings fit into two sections: proxy, time zone, language. Shall I show them twice, or choose one \
         place and link to it?",
    )
    .reply(
        after(12, 22),
        MAINTAINER,
        MAC,
        "One place and a link. Proxy goes under \"Network\", the other two under \"Region\".",
    )
    .reply(
        after(26, 40),
        MAC,
        MAINTAINER,
        "Five of six sections are done. \"Maps\" is left, it has the most dependencies.",
    )
}

/// Open: nobody has taken it yet.
fn backup() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAINTAINER,
        to: EVERYBODY,
        goal: "Describe backup and restore in English and 中文\n\n请写一页说明：怎样备份目录，怎样在另一台机器上恢复，\
               以及怎样确认恢复是完整的。英文和中文各一份，步骤编号要一致，方便对照。",
        done: "docs/backup.md and docs/backup.zh.md. Somebody who did not write them restores a copy by following \
               each of them.\n两份文档的命令必须逐字相同。",
        branch: "docs/backup",
        base: "e71b9d4c02f85a3316d97e48b1ac50d2f7e9036b",
    }
    .made(ago(0, 14, 25))
}

/// Expired: it had to be done before a certain moment, and was not.
fn nightly_import() -> Thread {
    Ask {
        stream: ATLAS,
        from: MAC,
        to: CI,
        goal: "Check the staging import before the copy is replaced\n\nThe staging copy is replaced in a few hours. \
               Compare its row counts with the source until then; afterwards there is nothing left to compare.",
        done: "A table of row counts, source and staging, for every sheet, before the copy is replaced.",
        branch: "main",
        base: "4be1f0264c0b2a7f0f2f7f8cc1f6f0f5f6b7d0e9",
    }
    .made(ago(6, 40, 0))
    .mark(Mark::Expires(ago(2, 5, 0)))
    .reply(
        after(378, 30),
        MAC,
        CI,
        "The copy was replaced two hours ago and nobody had taken this. I leave it open so that it is seen: we need a \
         way to wake the runner for things with a deadline.",
    )
}
