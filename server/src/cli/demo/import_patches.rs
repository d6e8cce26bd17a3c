//! The two patches of the importer's delegation: exact unified diffs, made by git from whole files. Blank context lines hold one space.

/// The first attempt, which hides what it cannot read.
pub(super) const SKIPS_ROWS: &str = r#"diff --git a/docs/import.md b/docs/import.md
index a3d70b9..3b3cfc8 100644
--- a/docs/import.md
+++ b/docs/import.md
@@ -3,4 +3,4 @@
 `atlas import FILE` reads a tab-separated file with the columns id, name,
 latitude and longitude.
 
-The import stops at the first row that it cannot read.
+Rows that cannot be read are skipped.
diff --git a/gazetteer/importer.py b/gazetteer/importer.py
index b7906c4..9d9780d 100644
--- a/gazetteer/importer.py
+++ b/gazetteer/importer.py
@@ -10,15 +10,18 @@ COLUMNS = ("id", "name", "latitude", "longitude")
 
 
 def read_places(path: Path) -> Iterator[Place]:
-    """Yields the places of a tab-separated file."""
+    """Yields the places of a tab-separated file, skipping malformed rows."""
     with path.open(encoding="utf-8", newline="") as file:
         for row in csv.reader(file, delimiter="\t"):
-            yield Place(
-                id=int(row[0]),
-                name=row[1],
-                latitude=float(row[2]),
-                longitude=float(row[3]),
-            )
+            try:
+                yield Place(
+                    id=int(row[0]),
+                    name=row[1],
+                    latitude=float(row[2]),
+                    longitude=float(row[3]),
+                )
+            except (ValueError, IndexError):
+                continue
 
 
 def import_file(path: Path, catalogue) -> int:
"#;

/// The second, which reports it: the longest patch of the story.
pub(super) const REPORTS_ROWS: &str = r#"diff --git a/gazetteer/importer.py b/gazetteer/importer.py
index b7906c4..74e0a46 100644
--- a/gazetteer/importer.py
+++ b/gazetteer/importer.py
@@ -1,30 +1,86 @@
-"""Reads a gazetteer file into the catalogue."""
+"""Reads a gazetteer file into the catalogue.
+
+A malformed row never stops an import and never disappears either: it is
+reported with its line number and the reason, and the caller decides.
+"""
 
 import csv
 from collections.abc import Iterator
+from dataclasses import dataclass, field
 from pathlib import Path
 
 from gazetteer.place import Place
 
 COLUMNS = ("id", "name", "latitude", "longitude")
 
+# More than this is not a file with a few bad rows but the wrong file.
+MAX_PROBLEMS = 1000
+
+
+@dataclass(frozen=True)
+class Problem:
+    """A row that could not be read."""
+
+    line: int
+    reason: str
+
+    def __str__(self) -> str:
+        return f"line {self.line}: {self.reason}"
+
+
+@dataclass
+class Report:
+    """What an import did."""
+
+    added: int = 0
+    problems: list[Problem] = field(default_factory=list)
 
-def read_places(path: Path) -> Iterator[Place]:
-    """Yields the places of a tab-separated file."""
+    @property
+    def complete(self) -> bool:
+        return not self.problems
+
+
+class TooManyProblems(Exception):
+    """The file is probably not a gazetteer."""
+
+
+def read_places(path: Path) -> Iterator[Place | Problem]:
+    """Yields a place or a problem for every row of a tab-separated file."""
     with path.open(encoding="utf-8", newline="") as file:
-        for row in csv.reader(file, delimiter="\t"):
-            yield Place(
-                id=int(row[0]),
-                name=row[1],
-                latitude=float(row[2]),
-                longitude=float(row[3]),
-            )
-
-
-def import_file(path: Path, catalogue) -> int:
-    """Adds every place of a file; answers how many."""
-    count = 0
-    for place in read_places(path):
-        catalogue.add(place)
-        count += 1
-    return count
+        reader = csv.reader(file, delimiter="\t")
+        for row in reader:
+            if row:
+                yield _read_row(row, reader.line_num)
+
+
+def _read_row(row: list[str], line: int) -> Place | Problem:
+    if len(row) != len(COLUMNS):
+        return Problem(line, f"{len(row)} columns instead of {len(COLUMNS)}")
+    try:
+        place = Place(
+            id=int(row[0]),
+            name=row[1].strip(),
+            latitude=float(row[2]),
+            longitude=float(row[3]),
+        )
+    except ValueError as error:
+        return Problem(line, str(error))
+    if not place.name:
+        return Problem(line, "a place without a name")
+    if not (-90 <= place.latitude <= 90 and -180 <= place.longitude <= 180):
+        return Problem(line, f"no such position: {row[2]}, {row[3]}")
+    return place
+
+
+def import_file(path: Path, catalogue) -> Report:
+    """Adds every readable place of a file; reports the others."""
+    report = Report()
+    for item in read_places(path):
+        if isinstance(item, Problem):
+            report.problems.append(item)
+            if len(report.problems) > MAX_PROBLEMS:
+                raise TooManyProblems(f"{path.name}: more than {MAX_PROBLEMS} rows cannot be read")
+        else:
+            catalogue.add(item)
+            report.added += 1
+    return report
diff --git a/tests/test_importer.py b/tests/test_importer.py
index 54bc49a..e3b62e4 100644
--- a/tests/test_importer.py
+++ b/tests/test_importer.py
@@ -1,7 +1,48 @@
-from gazetteer.importer import import_file
+import pytest
 
+from gazetteer.importer import MAX_PROBLEMS, TooManyProblems, import_file
 
-def test_a_good_file(tmp_path, catalogue):
-    file = tmp_path / "places.tsv"
-    file.write_text("1\tUpper Lake\t46.5\t7.9\n", encoding="utf-8")
-    assert import_file(file, catalogue) == 1
+GOOD = "1\tUpper Lake\t46.5\t7.9"
+
+
+@pytest.fixture
+def write(tmp_path):
+    def write(*lines):
+        file = tmp_path / "places.tsv"
+        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
+        return file
+
+    return write
+
+
+def test_a_good_file(write, catalogue):
+    report = import_file(write(GOOD), catalogue)
+    assert report.added == 1
+    assert report.complete
+
+
+@pytest.mark.parametrize(
+    ("row", "reason"),
+    [
+        ("2\tMill\t46.5", "3 columns instead of 4"),
+        ("x\tMill\t46.5\t7.9", "invalid literal"),
+        ("2\t \t46.5\t7.9", "a place without a name"),
+        ("2\tMill\t91\t7.9", "no such position"),
+        ("2\tMill\tnan\t7.9", "no such position"),
+    ],
+)
+def test_a_bad_row_is_reported_with_its_line(write, catalogue, row, reason):
+    report = import_file(write(GOOD, row, GOOD), catalogue)
+    assert report.added == 2
+    assert [problem.line for problem in report.problems] == [2]
+    assert reason in report.problems[0].reason
+
+
+def test_empty_lines_are_no_problem(write, catalogue):
+    assert import_file(write(GOOD, "", GOOD), catalogue).complete
+
+
+def test_the_wrong_file_is_given_up(write, catalogue):
+    rows = ["not a gazetteer"] * (MAX_PROBLEMS + 1)
+    with pytest.raises(TooManyProblems, match="places.tsv"):
+        import_file(write(*rows), catalogue)
"#;
