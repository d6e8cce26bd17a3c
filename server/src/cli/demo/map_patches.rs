//! The patches of the map and export delegations: exact unified diffs, made by git from whole files. Blank context lines hold one space.

/// Draws tiles when they are asked for.
pub(super) const LAZY_TILES: &str = r#"diff --git a/tiles/cache.py b/tiles/cache.py
new file mode 100644
index 0000000..9147acb
--- /dev/null
+++ b/tiles/cache.py
@@ -0,0 +1,28 @@
+"""The tiles that were asked for last, in memory."""
+
+from collections import OrderedDict
+from collections.abc import Callable
+from threading import Lock
+
+
+class RecentTiles:
+    """Keeps a fixed number of tiles; the one unused for longest goes first."""
+
+    def __init__(self, size: int) -> None:
+        self._size = size
+        self._tiles: OrderedDict[tuple[int, int, int], bytes] = OrderedDict()
+        self._lock = Lock()
+
+    def get(self, key: tuple[int, int, int], draw: Callable[[], bytes]) -> bytes:
+        with self._lock:
+            if key in self._tiles:
+                self._tiles.move_to_end(key)
+                return self._tiles[key]
+        # Drawn outside of the lock: twice the same tile is cheaper than a queue.
+        picture = draw()
+        with self._lock:
+            self._tiles[key] = picture
+            self._tiles.move_to_end(key)
+            while len(self._tiles) > self._size:
+                self._tiles.popitem(last=False)
+        return picture
diff --git a/tiles/render.py b/tiles/render.py
index e9471eb..ea300d0 100644
--- a/tiles/render.py
+++ b/tiles/render.py
@@ -1,17 +1,22 @@
-"""Draws the tiles of a sheet."""
+"""Draws the tiles of a sheet when somebody asks for them."""
 
+from tiles.cache import RecentTiles
 from tiles.draw import draw_tile
 from tiles.sheet import Sheet
 
 ZOOMS = range(6, 15)
+KEPT = 200
 
 
-def render_sheet(sheet: Sheet, folder) -> int:
-    """Draws every tile of every zoom level ahead of time."""
-    drawn = 0
-    for zoom in ZOOMS:
-        for column, row in sheet.tiles(zoom):
-            picture = draw_tile(sheet, zoom, column, row)
-            (folder / f"{zoom}-{column}-{row}.png").write_bytes(picture)
-            drawn += 1
-    return drawn
+class Renderer:
+    """Draws a tile at its first request and keeps the last ones."""
+
+    def __init__(self, sheet: Sheet) -> None:
+        self._sheet = sheet
+        self._recent = RecentTiles(KEPT)
+
+    def tile(self, zoom: int, column: int, row: int) -> bytes:
+        if zoom not in ZOOMS:
+            raise LookupError(f"no zoom level {zoom}")
+        key = (zoom, column, row)
+        return self._recent.get(key, lambda: draw_tile(self._sheet, *key))
"#;

/// A second export format.
pub(super) const GEOJSON: &str = r#"diff --git a/gazetteer/export.py b/gazetteer/export.py
index bd9d9f2..d3ddeb8 100644
--- a/gazetteer/export.py
+++ b/gazetteer/export.py
@@ -1,6 +1,7 @@
 """Writes the catalogue in the formats of other programs."""
 
 import csv
+import json
 
 
 def export_table(places, file) -> None:
@@ -9,3 +10,23 @@ def export_table(places, file) -> None:
     writer.writerow(("id", "name", "latitude", "longitude"))
     for place in places:
         writer.writerow((place.id, place.name, place.latitude, place.longitude))
+
+
+def export_geojson(places, file) -> None:
+    """A FeatureCollection (RFC 7946), one place at a time, so that memory stays flat."""
+    file.write('{"type": "FeatureCollection", "features": [')
+    for number, place in enumerate(places):
+        file.write(",\n" if number else "\n")
+        json.dump(_feature(place), file, ensure_ascii=False)
+    file.write("\n]}\n")
+
+
+def _feature(place) -> dict:
+    # Longitude comes first, unlike everywhere else in this package.
+    position = [round(place.longitude, 6), round(place.latitude, 6)]
+    return {
+        "type": "Feature",
+        "id": place.id,
+        "geometry": {"type": "Point", "coordinates": position},
+        "properties": {"name": place.name},
+    }
diff --git a/tests/test_export.py b/tests/test_export.py
new file mode 100644
index 0000000..17bd1c4
--- /dev/null
+++ b/tests/test_export.py
@@ -0,0 +1,22 @@
+import io
+import json
+
+from gazetteer.export import export_geojson
+from gazetteer.place import Place
+
+
+def exported(*places):
+    file = io.StringIO()
+    export_geojson(places, file)
+    return json.loads(file.getvalue())
+
+
+def test_no_places_are_an_empty_collection():
+    assert exported() == {"type": "FeatureCollection", "features": []}
+
+
+def test_longitude_comes_first():
+    lake = Place(id=1, name="Upper Lake", latitude=46.5, longitude=7.9)
+    (feature,) = exported(lake)["features"]
+    assert feature["geometry"]["coordinates"] == [7.9, 46.5]
+    assert feature["properties"] == {"name": "Upper Lake"}
"#;
