// How an artifact is read: JSON laid out, switches, keys between hunks, two patches compared.
import { expect, test } from './support/fixtures.ts';
import { open } from './support/pages.ts';

const patch = (path: string, lines: string[]) => {
  const olds = lines.filter((line) => !line.startsWith('+')).length;
  const news = lines.filter((line) => !line.startsWith('-')).length;
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${olds} +1,${news} @@\n${lines.join('\n')}\n`;
};

test('JSON is laid out with every value as it was written', async ({ hub, page }) => {
  const artifact = await hub.mcp.put('json', '{"big":9007199254740993,"list":[1.0,null],"text":"<b>\\u202e"}');
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.locator('.line')).toHaveText(['{', '"big": 9007199254740993,', '"list": [', '1.0,', 'null', '],', '"text": "<b>\\u202e"', '}']);
  await expect(page.locator('.json-number').first()).toHaveText('9007199254740993');
  await expect(page.getByText('Verified in this page')).toBeVisible();
});

test('lines wrap and blanks show when the reader wants it', async ({ hub, page }) => {
  const artifact = await hub.mcp.put('patch', patch('a.rs', [` ${'long '.repeat(200)}`, '-\told', '+\tnew  ']));
  await open(page, `/artifact?id=${artifact.id}`);
  const line = page.locator('.line').filter({ hasText: 'long long' });
  const flat = (await line.boundingBox())!.height;
  await page.getByLabel('wrap lines').check();
  expect((await line.boundingBox())!.height).toBeGreaterThan(2 * flat);
  const blanks = page.locator('.line.added .blanks').last();
  await expect(blanks).toHaveCSS('background-image', 'none');
  await page.getByLabel('show blanks and tabs').check();
  await expect(blanks).not.toHaveCSS('background-image', 'none');
});

test('the keys n and p go from hunk to hunk', async ({ hub, page }) => {
  const artifact = await hub.mcp.put('patch', patch('a.rs', ['-a', '+b']) + patch('b.rs', ['-c', '+d']));
  await open(page, `/artifact?id=${artifact.id}`);
  await page.keyboard.press('n');
  await expect(page.locator('.line.hunk').nth(0)).toBeFocused();
  await page.keyboard.press('n');
  await expect(page.locator('.line.hunk').nth(1)).toBeFocused();
  await page.keyboard.press('p');
  await expect(page.locator('.line.hunk').nth(0)).toBeFocused();
});

test('one file of a patch is copied as a patch of its own', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const second = patch('dir/b.rs', [' kept', '-\told', '+\tnew  ']);
  const artifact = await hub.mcp.put('patch', patch('a.rs', ['-a', '+b']) + second);
  await open(page, `/artifact?id=${artifact.id}`);
  const copy = page.getByRole('button', { name: 'Copy the changes in dir/b.rs' });
  await copy.click();
  await expect(copy).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(second);
});

test('what can be said about applying is said, and what cannot too', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  const { artifact } = await hub.mcp.submit(task, patch('a.rs', ['-a', '+b']));
  await open(page, `/artifact?id=${artifact.id}`);
  const hint = page.locator('.would-apply');
  await expect(hint).toContainText('No fault is seen in its text.');
  await expect(hint).toContainText('only git can say');
  const cut = await hub.mcp.put('patch', '--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n');
  await open(page, `/artifact?id=${cut.id}`);
  await expect(hint).toContainText('x: a hunk has fewer lines than its head says');
  await expect(hint).toContainText('Neither it nor an event that refers to it names the commit');
});

test('two patches of one delegation are compared', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  const first = await hub.mcp.submit(task, patch('a.rs', [' x', '-y', '+z']) + patch('same.rs', ['+s']));
  // Artifacts are dated to the second, and of two with the same date nobody knows the older.
  const stored = Math.floor(Date.now() / 1000);
  await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(stored);
  const second = await hub.mcp.submit(task, patch('a.rs', [' x', '-y', '+w']) + patch('same.rs', ['+s']));
  await open(page, `/artifact?id=${second.artifact.id}`);
  await page.getByRole('list', { name: 'Other patches of this delegation' }).getByRole('link', { name: 'Compare' }).click();
  await expect(page).toHaveURL(`/compare?a=${first.artifact.id}&b=${second.artifact.id}`);
  await expect(page.getByText(/^1.file changed differently, 1.file in the same way/)).toBeVisible();
  await expect(page.locator('.line.removed')).toHaveText('+z');
  await expect(page.locator('.line.added')).toHaveText('+w');
  await expect(page.locator('details', { hasText: 'same.rs' })).toContainText('the same in both');
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'the script' : 'no script', () => {
    test.use({ javaScriptEnabled });

    test('a file is marked as looked through, and the mark can be taken back', async ({ hub, page }) => {
      const artifact = await hub.mcp.put('patch', patch('a.rs', ['-a', '+b']) + patch('b.rs', ['-c', '+d']));
      await page.goto(`/artifact?id=${artifact.id}`);
      const file = page.locator('details.file').first();
      await expect(file.getByText('+b')).toBeVisible();
      const seen = file.getByRole('button', { name: 'Looked through: a.rs' });
      await expect(seen).toHaveAttribute('aria-pressed', 'false');
      await seen.click();
      await expect(page).toHaveURL(`/artifact?id=${artifact.id}#file-0`);
      await expect(page.getByText('1 of 2 looked through')).toBeVisible();
      await expect(file.getByText('+b')).toBeHidden();
      await file.locator('summary').click();
      await expect(seen).toHaveAttribute('aria-pressed', 'true');
      await seen.click();
      await expect(page.getByText('0 of 2 looked through')).toBeVisible();
    });
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('what is folded away is opened by its link', async ({ hub, page }) => {
      const large = Array.from({ length: 600 }, (_, at) => `+line ${at}`);
      const artifact = await hub.mcp.put('patch', patch('small.rs', ['+s']) + patch('large.rs', large) + patch('Cargo.lock', ['+lock']));
      await page.goto(`/artifact?id=${artifact.id}`);
      const file = (name: string) => page.locator('.file').filter({ hasText: name });
      await expect(file('large.rs')).toContainText(/large\s*60\d.lines not shown/);
      await expect(file('Cargo.lock')).toContainText('generated');
      await expect(page.locator('.line.added')).toHaveText(['+s']);
      await file('large.rs').getByRole('link', { name: 'large.rs' }).click();
      await expect(page).toHaveURL(`/artifact?id=${artifact.id}&open=1#file-1`);
      await expect(file('large.rs').locator('.line.added')).toHaveCount(600);
      await expect(file('large.rs').locator('summary')).toBeInViewport();
      await expect(file('Cargo.lock').locator('.line')).toHaveCount(0);
    });
  });
}
