// More events than anybody can read: the page stays bounded, answers its reader, and shows only what was asked for. Without traces,
// whose snapshots of a thousand rows would be what is measured.
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import type { Hub } from './support/hub.ts';
import { chips, firstDifference, live, open, rowIds, rows } from './support/pages.ts';

test.use({ trace: 'off' });

/** The longest time in ms that a page may not react while it takes in a burst, on a busy machine. */
const PATIENCE_MS = 2_500;

/** How many events the page shows or says that it does not show. Fails when it shows more than a page can carry. */
async function accountedFor(page: Page): Promise<number> {
  const shown = (await rowIds(page)).length;
  expect(shown, 'rows on the page').toBeLessThanOrEqual(1_000);
  const notes = await page.locator('main').locator('.log-foot, tr.gap').allTextContents();
  const number = (text: string) => Number(/^([\d\s]+)((?:older|newer) rows? left|events? not shown)/.exec(text)?.[1]?.replace(/\s/g, '') ?? 0);
  return notes.map(number).reduce((sum, hidden) => sum + hidden, shown);
}

test('a long burst leaves a bounded page that answers all the while', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await page.evaluate(() => {
    const watched = window as unknown as { worstMs: number };
    let last = performance.now();
    watched.worstMs = 0;
    setInterval(() => {
      const now = performance.now();
      watched.worstMs = Math.max(watched.worstMs, now - last);
      last = now;
    }, 20);
  });
  await hub.mcp.burst(1_300, (at) => ({ body: `burst ${at} ${'x'.repeat(2_000)}` }), 8);
  await hub.mcp.append({ body: 'the last one' });
  await expect(rows(page).first()).toContainText('the last one');
  expect(await accountedFor(page), 'shown and said to have left').toBe(1_301);
  const newest = (await hub.mcp.newest(500)).map((event) => event.id);
  const seen = (await rowIds(page)).slice(0, 500);
  expect(firstDifference(seen, newest.slice(0, seen.length))).toBeNull();
  const worstMs = await page.evaluate(() => (window as unknown as { worstMs: number }).worstMs);
  expect(worstMs, 'the longest time in ms in which the page did not react').toBeLessThan(PATIENCE_MS);

  // What is older comes below; the page stays bounded and says what left for it.
  const main = page.getByRole('main');
  const all = await listed(hub, 1_301);
  const end = () => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(async () => {
    await end();
    await expect(main).toContainText(/newer rows left this page/, { timeout: 200 });
  }).toPass();
  await expect(async () => {
    await end();
    const ids = await rowIds(page);
    const at = all.indexOf(ids[0]!);
    expect(firstDifference(ids, all.slice(at, at + ids.length)), 'in order, without a hole').toBeNull();
    expect(await accountedFor(page), 'shown and said to have left').toBe(1_301);
    await expect(main).toContainText('This is the beginning of the log.', { timeout: 200 });
  }).toPass({ timeout: 30_000 });
  expect((await rowIds(page)).at(-1)).toBe(all.at(-1));
  // What arrives now has no place above the first row; it is counted, and the newest are one click away.
  await hub.mcp.append({ body: 'after all that' });
  await page.getByRole('button', { name: '1 new' }).click();
  await expect(rows(page).first()).toContainText('after all that');
});

/** The ids of the newest events, newest first, more than one answer holds. */
async function listed(hub: Hub, count: number): Promise<string[]> {
  const events = await hub.mcp.newest(500);
  while (events.length < count) events.push(...(await hub.mcp.newest(Math.min(500, count - events.length), { before_event_id: events.at(-1)!.id })));
  return events.map((event) => event.id);
}

test('what comes while the reader pauses is counted, and what no longer fits is said', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'seen before' });
  await open(page, '/log');
  await live(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await hub.mcp.burst(1_005, (at) => ({ body: `paused ${at}` }), 32);
  const fresh = page.getByRole('button', { name: /^1\s005 new$/ });
  await expect(fresh).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await fresh.click();
  await expect(rows(page).first()).toContainText('paused');
  expect(await accountedFor(page), 'shown, in a gap, or said to have left').toBe(1_006);
});

test('a filter that changes during a burst leaves nothing of the old one, and no hole', async ({ hub, page }) => {
  await hub.mcp.append({ type: 'note.a', body: 'first' });
  await open(page, '/log?type=note.a');
  await live(page);
  // Whatever the chip says, nothing else may ever be in the table below it.
  await page.evaluate(() => {
    const watched = window as unknown as { strangers: string[] };
    watched.strangers = [];
    new MutationObserver(() => {
      const chip = document.querySelector('.chips .chip span')?.textContent?.trim();
      const wanted = chip === 'type note.a' ? 'note.a' : 'note.b';
      document.querySelectorAll('table.events tbody .c-type').forEach((cell) => {
        if (chip && cell.textContent !== wanted) watched.strangers.push(`${cell.textContent} under ${chip}`);
      });
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  let stop = false;
  const burst = (async () => {
    for (let at = 0; !stop; at += 4) {
      await Promise.all([0, 1, 2, 3].map((n) => hub.mcp.append({ type: n % 2 ? 'note.a' : 'note.b', body: `burst ${at + n}` })));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  try {
    for (const [turn, chip, type] of [
      ['leave out', 'not type note.a', 'note.b'],
      ['only this', 'type note.a', 'note.a'],
      ['leave out', 'not type note.a', 'note.b'],
      ['only this', 'type note.a', 'note.a'],
    ] as const) {
      await chips(page).getByRole('link', { name: turn }).click();
      await expect(chips(page).locator('span').first()).toHaveText(chip);
      await expect(rows(page).first()).toBeVisible();
      const before = (await rowIds(page))[0];
      await expect.poll(async () => (await rowIds(page)).indexOf(before!), 'the stream goes on').toBeGreaterThan(3);
      const seen = await rowIds(page);
      const all = (await hub.mcp.newest(500, { type })).map((event) => event.id);
      const wanted = all.slice(all.indexOf(seen[0]!)).slice(0, seen.length);
      expect(firstDifference(seen.slice(0, wanted.length), wanted), chip).toBeNull();
    }
  } finally {
    stop = true;
    await burst;
  }
  expect(await page.evaluate(() => (window as unknown as { strangers: string[] }).strangers.slice(0, 3))).toEqual([]);
});
