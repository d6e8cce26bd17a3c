//! What the palace teaches the agents that wake up in it: how to work with it, and the notation AAAK. Our own words.

/// How to work with the palace.
pub const PROTOCOL: &str = "\
How to work with this memory:
1. When you wake up, call mempalace_status, then mempalace_diary_read with your own name: you wrote it for this moment.
2. Before you say anything about a person, a project or the past, look: mempalace_kg_query for facts, mempalace_search for texts. \
Do not answer from a feeling.
3. When you are not sure, say that you will look, and look.
4. When a session ends or something important was settled, write mempalace_diary_write (or mempalace_checkpoint for several texts and \
the entry in one call). A diary that is written later is not written.
5. When a fact changes that has one value at a time, call mempalace_kg_supersede with the old and the new value, so that both keep \
their dates.
Texts are stored verbatim. Rows are counted, so a long text counts more than once.";

/// The notation of diary entries.
pub const AAAK: &str = "\
AAAK is a shorthand that agents write for agents: short, plain to read for any model, loose on purpose. Nothing parses it; the text is \
kept as you write it.
- One entry is mostly one line. `|` parts fields, `.` joins the words of a field, `+` joins things of one kind, `_` joins the words of \
a topic, `→` leads from one thing to another, `3x` is a count, \"…\" is a short verbatim quote, dates are ISO.
- `KEY:value` opens a field: SESSION, CHECKPOINT, PROJ, FAM, ARC (feelings in their order, joined by ->), T (a link, a<->b|label).
- People and projects are three capitals, mostly the first three letters: MIR is Miriam. ??? is somebody unknown.
- Feelings are short words: joy, anx, determ, relief, doubt, hope, grief; or *marked* by stars.
- Flags are capitals: DECISION, PIVOT, ORIGIN, CORE, GENESIS, TECHNICAL, SENSITIVE.
- One to five stars weigh the entry: ★ is a note, ★★★★★ must never be lost.
Example: SESSION:2026-05-04|MIR+TOM|fixed.queue.stall+wrote.3.tests|\"retry only after the ack\"|DECISION|determ+relief|→:ship.on.friday|★★★
It reads: on 4 May Miriam and Tom mended a queue that stalled and wrote three tests; it was decided to try again only after the \
acknowledgement; determined and relieved; next is to ship on Friday; three stars.";
