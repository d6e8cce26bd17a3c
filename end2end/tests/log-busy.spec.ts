// The log under more than anybody can read, as the browser's own tracing tells it, and a tab that was away meanwhile. The bounds are
// generous, since the gate runs on busy machines; `npm run measure` tells the figures.
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { firstDifference, live, open, rowIds, rows, setVisible } from './support/pages.ts';
import { tasksDuring } from './support/tasks.ts';

test.use({ trace: 'off', viewport: { width: 1280, height: 800 } });
test.setTimeout(180_000);

/** The longest task in ms that is not a fault even on a machine with other work. */
const LONGEST_TASK_MS = 2_500;
/** Every so many events have a body of 256 KiB. */
const LARGE_EVERY = 100;

/** How many events the page shows, or says that it does not show. */
async function accountedFor(page: Page): Promise<number> {
  const shown = (await rowIds(page)).length;
  const notes = await page.locator('main').locator('.log-foot, tr.gap').allTextContents();
  const number = (text: string) => Number(/^([\d\s]+)(older rows? left|events? not shown)/.exec(text)?.[1]?.replace(/\s/g, '') ?? 0);
  return notes.map(number).reduce((sum, hidden) => sum + hidden, shown);
}

test('two thousand events with large bodies among them: the page answers, and skips nothing silently', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  const large = 'y'.repeat(256 * 1024 - 20);
  const tasks = await tasksDuring(page, async () => {
    await hub.mcp.burst(1_999, (at) => ({ body: at % LARGE_EVERY ? `event ${at}` : `event ${at} ${large}` }), 16);
    await hub.mcp.append({ body: 'the last one' });
    await expect(rows(page).first()).toContainText('the last one', { timeout: 30_000 });
  });
  expect(tasks.length, 'tasks were traced').toBeGreaterThan(100);
  expect(tasks[0], 'the longest task in ms').toBeLessThan(LONGEST_TASK_MS);
  expect(await accountedFor(page), 'shown and said to have left').toBe(2_000);
  const seen = await rowIds(page);
  const newest = (await hub.mcp.newest(500)).map((event) => event.id);
  expect(firstDifference(seen, newest.slice(0, seen.length))).toBeNull();
});

test('one event is one row put into the document, alone and in a crowd, and what is there stays', async ({ hub, page }) => {
  // More than stand in the document at the top of the page.
  await hub.mcp.burst(130, (at) => ({ body: `before ${at}` }), 16);
  await open(page, '/log');
  await live(page);
  await hub.mcp.burst(30, (at) => ({ body: `warm ${at}` }), 16);
  await hub.mcp.append({ body: 'the first' });
  await expect(rows(page).first()).toContainText('the first');
  await expect(rows(page)).toHaveCount(120);
  await page.evaluate(() => {
    const counts = { added: 0, removed: 0 };
    (window as unknown as { counts: typeof counts }).counts = counts;
    new MutationObserver((records) => {
      for (const record of records) {
        counts.added += record.addedNodes.length;
        counts.removed += record.removedNodes.length;
      }
    }).observe(document.querySelector('table.events tbody')!, { childList: true });
  });
  const counts = () => page.evaluate(() => ({ ...(window as unknown as { counts: { added: number; removed: number } }).counts }));
  for (const at of [1, 2, 3]) {
    await hub.mcp.append({ body: `alone ${at}` });
    await expect(rows(page).first()).toContainText(`alone ${at}`);
  }
  expect(await counts()).toEqual({ added: 3, removed: 3 });
  await hub.mcp.burst(60, (at) => ({ body: `crowd ${at}` }), 16);
  await hub.mcp.append({ body: 'the last' });
  await expect(rows(page).first()).toContainText('the last');
  expect(await counts()).toEqual({ added: 64, removed: 64 });
  await hub.mcp.append({ body: 'the last' });
  await expect(rows(page).first()).toContainText('×2');
  expect(await counts(), 'a row that says the same takes the place of the other').toEqual({ added: 65, removed: 65 });
});

test('a tab that was hidden while three thousand events arrived comes back correct', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'seen before' });
  await open(page, '/log');
  await live(page);
  await setVisible(page, false);
  await hub.mcp.burst(3_000, (at) => ({ body: `while away ${at}` }), 32);
  await expect(rows(page)).toHaveCount(1);
  await setVisible(page, true);
  await live(page);
  await expect.poll(() => accountedFor(page), { timeout: 60_000 }).toBe(3_001);
  const seen = await rowIds(page);
  const newest = (await hub.mcp.newest(500)).map((event) => event.id);
  expect(firstDifference(seen, newest.slice(0, seen.length))).toBeNull();
  await hub.mcp.append({ body: 'after the return' });
  await expect(rows(page).first()).toContainText('after the return');
});
