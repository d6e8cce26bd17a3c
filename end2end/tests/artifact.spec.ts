// The page of an artifact: a tick only after a computation, every byte in the download, nothing hidden.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { agent, python } from './support/delegation.ts';
import { expect, PLAIN_HOST, test } from './support/fixtures.ts';
import { freePort, Hub } from './support/hub.ts';
import { open, rows } from './support/pages.ts';
import { hugePatch, PATCH, sha256 } from './support/samples.ts';

/** The bytes that the page's own button downloads. */
async function download(page: Page): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download exact bytes' }).click()]);
  return readFile(await download.path());
}

test('a patch is verified in the page, by the same hash that we compute', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  const { artifact } = await hub.mcp.submit(task, PATCH);
  await open(page, `/artifact?id=${artifact.id}`);
  const panel = page.locator('.verify');
  await expect(panel).toContainText('Verified in this page');
  const hash = sha256(PATCH);
  const [recorded, computed] = await panel.locator('code').all();
  for (const code of [recorded!, computed!]) {
    await expect(code).toHaveAttribute('title', hash);
    await expect(code).toContainText(`${hash.slice(0, 12)}…${hash.slice(-8)} · ${Buffer.byteLength(PATCH)} bytes`);
  }
  await expect(computed!).toContainText('in this browser');
  await expect(page.locator('.line.added')).toHaveText('+    Duration::from_millis(100 << attempt.min(6))');
  await expect(page.locator('.line.removed')).toHaveText('-    Duration::from_millis(100)');
  await expect(page.locator('.plus-minus').first()).toHaveText('+1 −1');
  await expect(page.getByText('👩‍🔧'), 'joiners of an emoji are no danger').toBeVisible();
  await expect(page.locator('.note')).toHaveCount(0);
  await expect(rows(page)).toHaveCount(1);
  expect(await download(page)).toEqual(Buffer.from(PATCH));
  await expect(page.getByRole('button', { name: /apply/i }), 'nothing applies a patch from here').toHaveCount(0);
});

test('content that was changed behind the hub’s back is a mismatch', async ({ hub, page }) => {
  const artifact = await hub.mcp.put('patch', PATCH);
  const spoiled = spawnSync(python(), [agent('spoil.py'), hub.palace, artifact.id], { input: PATCH.replace('100 <<', '900 <<'), encoding: 'utf8' });
  expect(spoiled.stderr).toBe('');
  await open(page, `/artifact?id=${artifact.id}`);
  const panel = page.getByRole('alert');
  await expect(panel).toContainText('MISMATCH');
  await expect(panel).toContainText('Do not apply it');
  await expect(page.getByText('Verified')).toHaveCount(0);
  const [recorded, computed] = await panel.locator('code').all();
  await expect(recorded!).toHaveAttribute('title', artifact.sha256);
  await expect(computed!).toHaveAttribute('title', sha256(PATCH.replace('100 <<', '900 <<')));
});

test('carriage returns are shown, warned of, and downloaded byte for byte', async ({ hub, page }) => {
  const content = PATCH.replaceAll('\n', '\r\n').trimEnd();
  const artifact = await hub.mcp.put('patch', content);
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.getByText('Verified in this page')).toBeVisible();
  await expect(page.locator('.note')).toHaveText([/8.carriage returns, written as CR; git apply often refuses/, /No newline at the end/]);
  await expect(page.locator('.line.added .hidden-char')).toHaveText('CR');
  expect(await download(page)).toEqual(Buffer.from(content));
});

test('characters that reorder or hide text are written out, with a warning', async ({ hub, page }) => {
  const content = 'if access != "user\u202e \u2066// admin only\u2069 \u2066" {\npass\u200bword\u0000'.replace('\u0000', '\u0007') + '\nélève 漢字 \n';
  const artifact = await hub.mcp.put('file', content);
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.locator('.note')).toHaveText([/^6.characters that a reader would not see/]);
  await expect(page.locator('.hidden-char')).toHaveText(['U+202E', 'U+2066', 'U+2069', 'U+2066', 'U+200B', 'U+0007']);
  await expect(page.locator('.line').nth(2)).toHaveText('élève 漢字 ');
  await expect(page.getByText('Verified in this page')).toBeVisible();
  expect(await download(page)).toEqual(Buffer.from(content));
});

test('a terminal’s log has its colours and nothing else of what it commands, and the download has all', async ({ hub, page }) => {
  const content = '\u001b[32mok\u001b[0m 10%\r 20%\r\n\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b[2Jgone\n';
  const artifact = await hub.mcp.put('log', content);
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.locator('.line').first()).toHaveText('ok 10%CR 20%CR');
  await expect(page.locator('.line').nth(1)).toContainText('ESC]8;;https://evil.exampleU+0007link');
  await expect(page.locator('.note')).toContainText([/2.colour codes of a terminal shown as colours/]);
  await expect(page.locator('.line .sgr-ink-2')).toHaveText('ok');
  await expect(page.locator('main a[href*="evil.example"]')).toHaveCount(0);
  expect(await download(page)).toEqual(Buffer.from(content));
});

test('the largest patch opens, and says what it does not show', async ({ hub, page }) => {
  const content = hugePatch(4_194_304);
  const artifact = await hub.mcp.put('patch', content);
  const started = Date.now();
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.getByText('Verified in this page')).toBeVisible({ timeout: 20_000 });
  expect(Date.now() - started, 'ms until it is verified').toBeLessThan(15_000);
  await expect(page.locator('.verify code').nth(1)).toHaveAttribute('title', sha256(content));
  const files = content.split('\ndiff --git').length;
  await expect(page.locator('.file-list summary')).toContainText(`${files} files`);
  const added = content.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line)).length;
  await expect(page.locator('.file-list .plus').first()).toHaveText(`+${String(added).replace(/\B(?=(\d{3})+$)/g, '\u202f')}`);
  await expect(page.locator('.cut').first()).toContainText(/… 898\s001 more characters/);
  await expect(page.locator('.not-shown')).toContainText(/lines not shown/);
  expect(await page.locator('.line').count(), 'lines on the page').toBeLessThanOrEqual(3_000);
  expect(sha256(await download(page))).toBe(sha256(content));
});

test('the hash is computed on plain http too, where browsers offer none, and copying has a way', async ({ page }) => {
  const port = await freePort();
  const url = `http://${PLAIN_HOST}:${port}`;
  const hub = await Hub.start({ port, args: ['--public-url', url] });
  try {
    await page.goto(hub.signInLink);
    expect(page.url()).toBe(`${url}/`);
    const artifact = await hub.mcp.put('patch', PATCH);
    await open(page, `${url}/artifact?id=${artifact.id}`);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await expect(page.getByText('Verified in this page')).toBeVisible();
    await expect(page.locator('.verify code').nth(1)).toHaveAttribute('title', sha256(PATCH));
    await page.getByRole('button', { name: 'Copy id' }).click();
    await expect(page.getByRole('button', { name: /^(Copied|Selected: press Ctrl\+C)$/ })).toBeVisible();
    expect(await page.evaluate(() => String(getSelection()))).toBe(artifact.id);
    // What is shown is escaped and cut; what is copied is the exact text.
    const odd = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+\u202eb${'x'.repeat(3_000)}\n`;
    const { id } = await hub.mcp.put('patch', odd);
    await open(page, `${url}/artifact?id=${id}`);
    await page.evaluate(() => {
      const set = DataTransfer.prototype.setData;
      DataTransfer.prototype.setData = function (type, text) {
        Object.assign(window, { put: text });
        set.call(this, type, text);
      };
    });
    const copy = page.getByRole('button', { name: 'Copy the changes in x' });
    await copy.click();
    await expect(copy).toHaveText('Copied');
    expect(await page.evaluate(() => (window as unknown as { put: string }).put)).toBe(odd);
  } finally {
    await page.close();
    await hub.dispose();
  }
});
