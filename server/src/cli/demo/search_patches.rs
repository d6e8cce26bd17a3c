//! The patches of the search service's delegations: exact unified diffs, made by git from whole files. Blank context lines hold one space.

/// Folds accents away when text is normalised.
pub(super) const ACCENTS: &str = r#"diff --git a/search/normalize.py b/search/normalize.py
index c59b950..84e441f 100644
--- a/search/normalize.py
+++ b/search/normalize.py
@@ -1,13 +1,21 @@
 """Turns what people type into the form that the index stores."""
 
 import re
+import unicodedata
 
 _SPACES = re.compile(r"\s+")
 
 
 def normalize(text: str) -> str:
-    """Lower case, with single spaces."""
-    return _SPACES.sub(" ", text.strip().lower())
+    """Case folded, without accents, with single spaces."""
+    return _SPACES.sub(" ", _without_marks(text.strip().casefold()))
+
+
+def _without_marks(text: str) -> str:
+    """Drops combining marks: é is found as e. Letters of other scripts stay."""
+    decomposed = unicodedata.normalize("NFKD", text)
+    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
+    return unicodedata.normalize("NFC", kept)
 
 
 def tokens(text: str) -> list[str]:
diff --git a/tests/test_normalize.py b/tests/test_normalize.py
index 1c36467..486e110 100644
--- a/tests/test_normalize.py
+++ b/tests/test_normalize.py
@@ -1,3 +1,5 @@
+import pytest
+
 from search.normalize import normalize, tokens
 
 
@@ -5,5 +7,13 @@ def test_case_and_spaces():
     assert normalize("  Upper   Lake ") == "upper lake"
 
 
+@pytest.mark.parametrize(
+    ("typed", "stored"),
+    [("Évora", "evora"), ("Straße", "strasse"), ("São  Tomé", "sao tome"), ("北京", "北京")],
+)
+def test_accents_do_not_matter(typed, stored):
+    assert normalize(typed) == stored
+
+
 def test_tokens_of_nothing():
     assert tokens("   ") == []
"#;

/// Cursors instead of page numbers, in the service.
pub(super) const CURSOR_SERVICE: &str = r#"diff --git a/api/cursor.py b/api/cursor.py
new file mode 100644
index 0000000..158821f
--- /dev/null
+++ b/api/cursor.py
@@ -0,0 +1,30 @@
+"""Opaque cursors: where the next page of a search begins."""
+
+import base64
+import json
+from dataclasses import dataclass
+
+
+class BadCursor(ValueError):
+    """A text that is no cursor of ours."""
+
+
+@dataclass(frozen=True)
+class Cursor:
+    """The last result of a page, by rank and id, so that equal ranks keep their order."""
+
+    rank: float
+    place_id: int
+
+    def encode(self) -> str:
+        text = json.dumps([self.rank, self.place_id])
+        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
+
+    @classmethod
+    def decode(cls, text: str) -> "Cursor":
+        try:
+            padded = text + "=" * (-len(text) % 4)
+            rank, place_id = json.loads(base64.urlsafe_b64decode(padded))
+            return cls(float(rank), int(place_id))
+        except (ValueError, TypeError) as error:
+            raise BadCursor(text) from error
diff --git a/api/search.py b/api/search.py
index c07fb32..8e11899 100644
--- a/api/search.py
+++ b/api/search.py
@@ -1,16 +1,22 @@
 """GET /search"""
 
 from api.answers import bad_request, ok
+from api.cursor import BadCursor, Cursor
 from search.index import Index
 
 PAGE = 20
 
 
 def search(index: Index, query: dict[str, str]):
-    """The places that match, best first."""
+    """The places that match, best first, and where the next page begins."""
     words = query.get("q", "").strip()
     if not words:
         return bad_request("q must not be empty")
-    page = int(query.get("page", "1"))
-    found = index.find(words, limit=PAGE, offset=(page - 1) * PAGE)
-    return ok({"places": [place.to_json() for place in found]})
+    try:
+        after = Cursor.decode(query["after"]) if "after" in query else None
+    except BadCursor:
+        return bad_request("after is not a cursor of this service")
+    found = index.find(words, limit=PAGE + 1, after=after)
+    page, more = found[:PAGE], len(found) > PAGE
+    following = Cursor(page[-1].rank, page[-1].id).encode() if more else None
+    return ok({"places": [place.to_json() for place in page], "next": following})
"#;

/// Cursors instead of page numbers, in the page.
pub(super) const CURSOR_PAGE: &str = r#"diff --git a/web/src/api.ts b/web/src/api.ts
index 951b9ec..98d594c 100644
--- a/web/src/api.ts
+++ b/web/src/api.ts
@@ -5,8 +5,15 @@ export interface Place {
   longitude: number;
 }
 
-export async function search(words: string, page = 1): Promise<Place[]> {
-  const answer = await fetch(`/search?q=${encodeURIComponent(words)}&page=${page}`);
+export interface Page {
+  places: Place[];
+  next: string | null;
+}
+
+export async function search(words: string, after?: string): Promise<Page> {
+  const query = new URLSearchParams({ q: words });
+  if (after) query.set("after", after);
+  const answer = await fetch(`/search?${query}`);
   if (!answer.ok) throw new Error(await answer.text());
-  return (await answer.json()).places;
+  return answer.json();
 }
diff --git a/web/src/results.ts b/web/src/results.ts
index ad112f7..9978482 100644
--- a/web/src/results.ts
+++ b/web/src/results.ts
@@ -2,13 +2,19 @@ import { search, type Place } from "./api";
 
 export class Results {
   places: Place[] = [];
-  private page = 0;
+  private next: string | null | undefined;
 
   constructor(private readonly words: string) {}
 
+  /** Whether a further page exists. Before the first one we do not know. */
+  get complete(): boolean {
+    return this.next === null;
+  }
+
   async more(): Promise<void> {
-    this.page += 1;
-    const found = await search(this.words, this.page);
-    this.places = [...this.places, ...found];
+    if (this.complete) return;
+    const page = await search(this.words, this.next ?? undefined);
+    this.places = [...this.places, ...page.places];
+    this.next = page.next;
   }
 }
"#;
