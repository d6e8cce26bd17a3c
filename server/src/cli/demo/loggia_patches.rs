//! The patches of the delegations in `demo/loggia` and `demo/shared`: exact unified diffs, made by git from whole files. Blank context
//! lines hold one space.

/// The age of the heartbeat, in milliseconds.
pub(super) const HEARTBEAT_IN_MS: &str = r#"diff --git a/src/badge.rs b/src/badge.rs
index 7cebcf7..ba22c05 100644
--- a/src/badge.rs
+++ b/src/badge.rs
@@ -8,21 +8,21 @@ const STALE_AFTER: Duration = Duration::from_secs(30);
 /// What the badge says.
 #[derive(Debug, Clone, Copy, PartialEq, Eq)]
 pub enum Badge {
-    Live,
-    Stale,
+    Live(Duration),
+    Stale(Duration),
 }
 
 impl Badge {
     /// Decides by the time since the last heartbeat.
     pub fn after(silence: Duration) -> Self {
-        if silence < STALE_AFTER { Self::Live } else { Self::Stale }
+        if silence < STALE_AFTER { Self::Live(silence) } else { Self::Stale(silence) }
     }
 
     /// The words beside the dot.
-    pub fn words(self) -> &'static str {
+    pub fn words(self) -> String {
         match self {
-            Self::Live => "live",
-            Self::Stale => "stale",
+            Self::Live(silence) => format!("live, {} ms", silence.as_millis()),
+            Self::Stale(silence) => format!("stale, {} ms", silence.as_millis()),
         }
     }
 }
diff --git a/style/badge.css b/style/badge.css
index 5ba52a5..770fa41 100644
--- a/style/badge.css
+++ b/style/badge.css
@@ -2,6 +2,7 @@
   display: inline-flex;
   gap: 6px;
   align-items: center;
+  min-width: 8rem;
   color: var(--muted);
 }
 
"#;

/// The same after the review, in words that stand still.
pub(super) const HEARTBEAT_AGE: &str = r#"diff --git a/src/badge.rs b/src/badge.rs
index 7cebcf7..dc75d58 100644
--- a/src/badge.rs
+++ b/src/badge.rs
@@ -8,21 +8,30 @@ const STALE_AFTER: Duration = Duration::from_secs(30);
 /// What the badge says.
 #[derive(Debug, Clone, Copy, PartialEq, Eq)]
 pub enum Badge {
-    Live,
-    Stale,
+    Live(Duration),
+    Stale(Duration),
 }
 
 impl Badge {
     /// Decides by the time since the last heartbeat.
     pub fn after(silence: Duration) -> Self {
-        if silence < STALE_AFTER { Self::Live } else { Self::Stale }
+        if silence < STALE_AFTER { Self::Live(silence) } else { Self::Stale(silence) }
     }
 
     /// The words beside the dot.
-    pub fn words(self) -> &'static str {
+    pub fn words(self) -> String {
         match self {
-            Self::Live => "live",
-            Self::Stale => "stale",
+            Self::Live(silence) => format!("live, {}", age(silence)),
+            Self::Stale(silence) => format!("stale for {}", age(silence)),
         }
     }
 }
+
+/// Tenths of a second below ten seconds, whole seconds below two minutes, then minutes.
+fn age(silence: Duration) -> String {
+    match silence.as_secs() {
+        0..10 => format!("{:.1} s", silence.as_secs_f32()),
+        seconds @ 10..120 => format!("{seconds} s"),
+        seconds => format!("{} min", seconds / 60),
+    }
+}
diff --git a/style/badge.css b/style/badge.css
index 5ba52a5..15202a4 100644
--- a/style/badge.css
+++ b/style/badge.css
@@ -2,7 +2,9 @@
   display: inline-flex;
   gap: 6px;
   align-items: center;
+  min-width: 11ch;
   color: var(--muted);
+  font-variant-numeric: tabular-nums;
 }
 
 .badge[data-state="stale"] {
"#;

/// Exit codes in the manual. The story hands it in with CRLF line ends, so that the warning about them is seen.
pub(super) const EXIT_CODES: &str = r"diff --git a/docs/index.md b/docs/index.md
index e533922..f6e214d 100644
--- a/docs/index.md
+++ b/docs/index.md
@@ -1,5 +1,5 @@
 # Manual
 
 * [Lists](list.md)
-* [Waiting for events](watch.md)
+* [Waiting for events](watch.md), with [exit codes](watch.md#exit-codes)
 * [Artifacts](artifact.md)
diff --git a/docs/watch.md b/docs/watch.md
index 260d151..0b6ebc7 100644
--- a/docs/watch.md
+++ b/docs/watch.md
@@ -4,4 +4,16 @@
 arrives, prints it and ends. The place up to which it has read is kept in a
 state file, so that nothing is lost between two calls.
 
+## Exit codes
+
+| code | meaning                                        |
+|------|------------------------------------------------|
+| 0    | an event was printed                           |
+| 1    | an error; with `--json` it is on stdout        |
+| 2    | nothing arrived within `--idle-exit-ms`        |
+| 130  | interrupted                                    |
+
+A script that starts `watch` again on 2 and stops on anything else but 0
+waits for ever without hiding an error.
+
 See also: [lists](list.md).
";

/// One version of each formatter for all machines.
pub(super) const PINNED_FORMATTER: &str = r#"diff --git a/tools/format.sh b/tools/format.sh
index 0b25a38..f2439ed 100755
--- a/tools/format.sh
+++ b/tools/format.sh
@@ -1,5 +1,15 @@
 #!/bin/sh
-# Formats what changed.
+# Formats what changed, with the versions of tools/versions.txt and no others.
 set -eu
+cd "$(dirname "$0")/.."
+wanted() { sed -n "s/^$1 //p" tools/versions.txt; }
+
+for tool in ruff prettier; do
+    found=$("$tool" --version | grep -o '[0-9][0-9.]*' | head -n 1)
+    if [ "$found" != "$(wanted "$tool")" ]; then
+        echo "$tool $found is installed, $(wanted "$tool") is wanted: tools/install.sh" >&2
+        exit 1
+    fi
+done
 ruff format .
 prettier --write web
diff --git a/tools/versions.txt b/tools/versions.txt
new file mode 100644
index 0000000..ae395d5
--- /dev/null
+++ b/tools/versions.txt
@@ -0,0 +1,2 @@
+prettier 3.6.2
+ruff 0.14.3
"#;

/// Keeps the dependency folder between runs of the pipeline.
pub(super) const CACHED_DEPENDENCIES: &str = r"diff --git a/pipeline/cache-key.sh b/pipeline/cache-key.sh
new file mode 100755
index 0000000..68be4d6
--- /dev/null
+++ b/pipeline/cache-key.sh
@@ -0,0 +1,6 @@
+#!/bin/sh
+# Names the dependency folder by what goes into it. The interpreter is part of it:
+# compiled wheels of one version do not load in another.
+set -eu
+python --version
+cat requirements.lock pipeline/install.sh | sha256sum | cut -c1-16
diff --git a/pipeline/test.yml b/pipeline/test.yml
index 48198db..d73e3b8 100644
--- a/pipeline/test.yml
+++ b/pipeline/test.yml
@@ -1,7 +1,12 @@
 name: test
 steps:
   - checkout
+  - name: key
+    run: ./pipeline/cache-key.sh > .cache-key
+  - name: restore
+    cache: { path: .venv, key-file: .cache-key }
   - name: install
+    unless: restore.hit
     run: ./pipeline/install.sh
   - name: unit
     run: python -m pytest -q
";
