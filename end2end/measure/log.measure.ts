// The figures of the log: from an append to a painted row, tasks of the page in a burst, the first paint of a long log.
import type { Page } from '@playwright/test';

import { expect, test } from '../tests/support/fixtures.ts';
import { hydrated, live, open, rows } from '../tests/support/pages.ts';
import { tasksDuring } from '../tests/support/tasks.ts';

test.use({ trace: 'off', screenshot: 'off', viewport: { width: 1280, height: 800 } });

const DELIVERIES = 200;
const LOADS = 15;

function tell(what: string, ms: number[]): void {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(1);
  console.log(`${what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms (${sorted.length})`);
}

/** Notes when each row is in the document, and when it is on the screen. */
async function watchRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: [string, number, number][] = [];
    const known = new Set<string>();
    (window as unknown as { seen: typeof seen }).seen = seen;
    const now = () => performance.timeOrigin + performance.now();
    new MutationObserver((records) => {
      const put = now();
      const fresh = records.flatMap((record) => [...record.addedNodes]).map((node) => (node as Element).querySelector?.('.to-event')?.textContent ?? '').filter((body) => !known.has(body));
      fresh.forEach((body) => known.add(body));
      // Rows are put there at the beginning of a frame; a message is heard when that frame has been painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => fresh.forEach((body) => seen.push([body, put, now()]));
      port2.postMessage(null);
    }).observe(document.querySelector('table.events tbody')!, { childList: true });
  });
}

test('from an append to a painted row', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await hub.mcp.append({ body: 'the first' });
  await expect(rows(page)).toHaveCount(1);
  await watchRows(page);
  const sent = new Map<string, { asked: number; answered: number }>();
  for (let at = 0; at < DELIVERIES; at += 1) {
    const asked = performance.timeOrigin + performance.now();
    await hub.mcp.append({ body: `delivery ${at}` });
    sent.set(`delivery ${at}`, { asked, answered: performance.timeOrigin + performance.now() });
    await page.waitForTimeout(50);
  }
  await expect(rows(page).first()).toContainText(`delivery ${DELIVERIES - 1}`);
  await page.waitForTimeout(200);
  const seen = await page.evaluate(() => (window as unknown as { seen: [string, number, number][] }).seen);
  tell('an append, until it is answered', [...sent.values()].map(({ asked, answered }) => answered - asked));
  tell('from the request until the row is in the document', seen.flatMap(([body, put]) => (sent.has(body) ? [put - sent.get(body)!.asked] : [])));
  tell('from the request until the row is painted', seen.flatMap(([body, , painted]) => (sent.has(body) ? [painted - sent.get(body)!.asked] : [])));
  tell('from the answer until the row is painted', seen.flatMap(([body, , painted]) => (sent.has(body) ? [painted - sent.get(body)!.answered] : [])));
});

test('two thousand events in five seconds', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  const large = 'y'.repeat(256 * 1024 - 20);
  const heap = () => page.evaluate(() => Math.round((performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6));
  const before = await heap();
  const started = Date.now();
  let took = 0;
  const tasks = await tasksDuring(page, async () => {
    // As even as this process can: 400 in each second, by a few agents at once.
    await hub.mcp.burst(2_000, (at) => ({ body: at % 100 ? `event ${at}` : `event ${at} ${large}` }), 16, (at) => started + at * 2.5);
    took = Date.now() - started;
    await hub.mcp.append({ body: 'the last one' });
    await expect(rows(page).first()).toContainText('the last one', { timeout: 60_000 });
  });
  console.log(`2 000 events in ${took} ms, shown after ${Date.now() - started} ms; heap ${before} MB before, ${await heap()} MB after`);
  console.log(`longest tasks: ${tasks.slice(0, 6).map((ms) => ms.toFixed(0)).join(', ')} ms; over 50 ms: ${tasks.filter((ms) => ms > 50).length}, over 200 ms: ${tasks.filter((ms) => ms > 200).length}`);
});

test.describe('a long log', () => {
  test.skip(!process.env.LOGGIA_PALACE, 'LOGGIA_PALACE names no folder');
  test.use({ start: { palace: process.env.LOGGIA_PALACE } });

  test('its first paint', async ({ page }) => {
    for (const path of ['/log', '/log?type=status', '/log?q=room']) {
      const paints: number[] = [];
      const bytes: number[] = [];
      const ready: number[] = [];
      for (let at = 0; at < LOADS + 1; at += 1) {
        await page.goto(path);
        await hydrated(page);
        const figures = await page.evaluate(() => {
          const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
          const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
          return { paint, first: page?.responseStart ?? 0, ready: performance.now() };
        });
        // The first load warms the hub and the browser.
        if (at === 0) continue;
        paints.push(figures.paint);
        bytes.push(figures.first);
        ready.push(figures.ready);
      }
      tell(`${path}: first byte`, bytes);
      tell(`${path}: first contentful paint`, paints);
      tell(`${path}: at most until it hears clicks`, ready);
    }
  });
});
