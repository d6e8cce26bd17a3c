"""Changes stored rows behind a hub's back, as a broken disk or a meddler would: `spoil.py PALACE ARTIFACT_ID`, the new text on standard input.

Only the content is replaced; the recorded hash and size stay, so that whoever computes the hash must notice.
"""

import sqlite3
import sys
from pathlib import Path


def main() -> None:
    """Replaces the content of one artifact."""
    palace, artifact_id = sys.argv[1:]
    log = sqlite3.connect(Path(palace) / "logstream.sqlite3", timeout=10)
    with log:
        changed = log.execute("UPDATE artifacts SET content = ? WHERE id = ?", (sys.stdin.buffer.read().decode(), artifact_id))
        assert changed.rowcount == 1, f"no artifact {artifact_id}"
    log.close()


if __name__ == "__main__":
    main()
