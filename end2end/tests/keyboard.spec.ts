// The pages without a mouse: through the rows, into an event and back, to another page, to whatever has a name.
import { expect, test } from './support/fixtures.ts';
import { live, open, row, rows } from './support/pages.ts';

test.use({ viewport: { width: 1280, height: 800 } });

test('through the rows, into one, along with it, and back', async ({ hub, page }) => {
  for (const body of ['one', 'two', 'three']) await hub.mcp.append({ body: `number ${body}` });
  await open(page, '/log');
  await live(page);
  const link = (text: string) => row(page, text).locator('.to-event');
  const peek = page.getByRole('complementary', { name: 'The chosen event' });
  await page.keyboard.press('j');
  await expect(link('three')).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(peek).toContainText('number two');
  await page.keyboard.press('k');
  await expect(peek).toContainText('number three');
  await page.keyboard.press('Escape');
  await expect(peek).toHaveCount(0);
  await page.keyboard.press('p');
  await hub.mcp.append({ body: 'number four' });
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  await page.keyboard.press('p');
  await expect(rows(page)).toHaveCount(4);
});

test('from hit to hit, and into the search', async ({ hub, page }) => {
  for (const n of [1, 2]) await hub.mcp.append({ body: `a needle ${n}` });
  await open(page, '/log?q=needle');
  await live(page);
  const at = page.locator('.hits').getByRole('status');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await expect(at).toHaveText('2/2 hits');
  await page.keyboard.press('N');
  await expect(at).toHaveText('1/2 hits');
  await page.keyboard.press('/');
  await expect(page.getByRole('search').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('jkgn?');
  await expect(page.getByRole('search').getByRole('combobox')).toHaveValue(/jkgn\?/);
});

test('to another page, and the list of keys', async ({ page }) => {
  await open(page, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await expect(page).toHaveURL('/log');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('the next, the previous event');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // Each key is heard by what is there at that moment.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lo');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(dialog).toContainText('the next, the previous event');
});

test('keys that choose among characters leave the palette alone', async ({ page }) => {
  await open(page, '/');
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Control+k');
  const field = dialog.getByRole('searchbox');
  await expect(dialog.getByRole('listitem').first()).toBeVisible();
  for (const key of ['ArrowDown', 'Escape']) {
    await field.dispatchEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true });
    await expect(field).toBeFocused();
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('the palette finds pages, streams, agents, tasks and ids', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Index the rooms', from_agent: 'mac:claude' });
  const event = await hub.mcp.append({ stream: 'project/loggia', from_agent: '<b>x</b>' });
  await open(page, '/');
  const dialog = page.getByRole('dialog');
  const entries = dialog.getByRole('listitem');
  await page.keyboard.press('Control+k');
  await expect(entries.filter({ hasText: 'Palace' })).toBeVisible();
  await page.keyboard.type('the rooms');
  await expect(entries.first()).toContainText('Index the rooms');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/task?id=${task.correlation_id}`);
  await expect(dialog).toBeHidden();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('loggia');
  await expect(entries.filter({ hasText: 'project/loggia' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/log?stream=project%2Floggia');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('<b>');
  await expect(entries.filter({ hasText: '<b>x</b>' }).first()).toBeVisible();
  await expect(dialog.locator('b')).toHaveCount(0);
  await dialog.getByRole('searchbox').fill(event.id);
  await expect(entries.first()).toContainText(event.id);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/event?id=${event.id}`);
});
