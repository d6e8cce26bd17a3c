// The search of the log: words in the address, hits with what was found, the filter beside it, and what arrives.
import { expect, test } from './support/fixtures.ts';
import { chips, live, open, row, rows } from './support/pages.ts';

test.beforeEach(async ({ hub }) => {
  await hub.mcp.append({ type: 'task.reply', body: 'the needle in foo::bar', from_agent: 'win:codex' });
  await hub.mcp.append({ type: 'status', body: 'nothing of the kind', from_agent: 'win:codex' });
  await hub.mcp.append({ type: 'status', body: '请修复登录页面的错误, needle', from_agent: 'mac:claude' });
  await hub.mcp.append({ type: 'status', body: `${'wörd '.repeat(200)}<b>needle</b> far behind`, from_agent: 'lab:cursor' });
});

test('the box finds words and marks them, with and without a filter', async ({ page }) => {
  await open(page, '/log');
  await page.getByRole('combobox', { name: 'Search the log' }).fill('needle');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page).toHaveURL('/log?q=needle');
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).locator('mark')).toHaveText(['needle', 'needle', 'needle']);
  await expect(rows(page).first().locator('.c-body')).toContainText('…');
  await expect(rows(page).first().locator('.c-body')).toContainText('<b>needle</b> far behind');
  await expect(page.locator('.hits')).toContainText('3 hits');

  await row(page, 'foo::bar').getByRole('link', { name: 'win:codex' }).click();
  await expect(page).toHaveURL('/log?q=needle&from_agent=win%3Acodex');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('combobox').fill('foo::bar');
  await page.getByRole('combobox').press('Enter');
  await expect(page).toHaveURL(/\/log\?from_agent=win%3Acodex&q=foo%3A%3Abar/);
  await expect(rows(page).locator('mark')).toHaveText(['foo::bar']);
  await chips(page).getByRole('link', { name: 'remove from win:codex' }).click();
  await expect(page).toHaveURL('/log?q=foo%3A%3Abar');
  await page.getByRole('link', { name: 'End the search' }).click();
  await expect(page).toHaveURL('/log');
  await expect(page.locator('.hits')).toHaveCount(0);
});

test('one hit after the other has the focus', async ({ page }) => {
  await open(page, '/log?q=needle');
  await live(page);
  const at = page.locator('.hits').getByRole('status');
  const links = rows(page).locator('.to-event');
  await expect(at).toHaveText('3 hits');
  await page.getByRole('button', { name: 'Next hit' }).click();
  await expect(at).toHaveText('1/3 hits');
  await expect(links.nth(0)).toBeFocused();
  await page.getByRole('button', { name: 'Next hit' }).click();
  await expect(links.nth(1)).toBeFocused();
  await page.getByRole('button', { name: 'Previous hit' }).click();
  await page.getByRole('button', { name: 'Previous hit' }).click();
  await expect(at).toHaveText('3/3 hits');
  await expect(links.nth(2)).toBeFocused();
});

test('what arrives and has the words appears, however far behind they are', async ({ hub, page }) => {
  await open(page, '/log?q=needle&type=status');
  await live(page);
  await expect(rows(page)).toHaveCount(2);
  await hub.mcp.append({ type: 'status', body: 'something else' });
  await hub.mcp.append({ type: 'task.reply', body: 'a needle of another type' });
  await hub.mcp.append({ type: 'status', body: `${'x '.repeat(400)} NEEDLE at the end` });
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).first().locator('mark')).toHaveText('NEEDLE');
  await expect(page.locator('.hits')).toContainText('3 hits');
});

test('odd words are words', async ({ page }) => {
  for (const q of ['"needle', 'needle* OR', '<img src=x onerror=alert(1)>', '-needle', 'NEAR(needle)']) {
    await open(page, `/log?q=${encodeURIComponent(q)}`);
    await expect(page.getByRole('combobox')).toHaveValue(q);
    await expect(page.locator('.hits')).toBeVisible();
  }
  await open(page, `/log?q=${encodeURIComponent('"*-')}`);
  await expect(page.getByRole('alert')).toHaveText('Left out of the filter: q has nothing to search for');
  await expect(rows(page)).not.toHaveCount(0);
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('the search is whole', async ({ page }) => {
    await page.goto('/log');
    await page.getByRole('combobox').fill('登录页面');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).locator('mark')).toHaveText(['登录页面']);
    await expect(page.locator('.hits')).toContainText('1 hit');
    await expect(page.getByRole('button', { name: 'Next hit' })).toBeHidden();
  });
});
