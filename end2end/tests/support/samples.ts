// Texts that the specs store: patches of every size, and everything that a hostile agent might try.
import { createHash } from 'node:crypto';

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A small patch with letters beyond ASCII. */
export const PATCH = `diff --git a/src/retry.rs b/src/retry.rs
--- a/src/retry.rs
+++ b/src/retry.rs
@@ -1,4 +1,4 @@
 pub fn pause(attempt: u32) -> Duration {
-    Duration::from_millis(100)
+    Duration::from_millis(100 << attempt.min(6))
 }
 // naïve until now — 重试 👩‍🔧
`;

/** A patch of about so many bytes: files of a hundred lines each, and one line of almost a megabyte. */
export function hugePatch(bytes: number): string {
  const parts = [`diff --git a/long.txt b/long.txt\n--- a/long.txt\n+++ b/long.txt\n@@ -1 +1 @@\n-short\n+${'long '.repeat(180_000)}\n`];
  let size = parts[0]!.length;
  for (let at = 0; size < bytes; at += 1) {
    const lines = Array.from({ length: 100 }, (_, line) => `+    let value_${line} = compute(${at}, ${line}, "a line of an ordinary length");`).join('\n');
    const part = `diff --git a/src/file_${at}.rs b/src/file_${at}.rs\n--- a/src/file_${at}.rs\n+++ b/src/file_${at}.rs\n@@ -0,0 +1,100 @@\n${lines}\n`;
    if (size + part.length > bytes) break;
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

/** Sets a flag of the window; what runs it has broken out of the text. */
const RUN = 'window.__ran=(window.__ran||0)+1';

/** Markup and links that would run if any page took text for anything else. */
export const HOSTILE = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"></svg>`,
  `"><svg/onload=${RUN}>`,
  `' onmouseover='${RUN}`,
  `<a href="javascript:${RUN}">a</a>`,
  `[a](javascript:${RUN})`,
  `javascript:${RUN}`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `</script><script>${RUN}</script>`,
  `</textarea></title></style><script>${RUN}</script>`,
  `<style>*{display:none}</style>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<!--`,
  `{{constructor.constructor("${RUN}")()}}`,
  `<form action="/sign-out" method="post"><button autofocus>x`,
] as const;
