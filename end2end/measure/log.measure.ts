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

/** Notes when each row is on the screen: its body begins with its number. */
async function watchRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const painted = new Map<string, number>();
    (window as unknown as { painted: Map<string, number> }).painted = painted;
    new MutationObserver(() => {
      const fresh = [...document.querySelectorAll('table.events tbody tr')].slice(0, 5).map((tr) => tr.querySelector('.to-event')?.textContent ?? '');
      // A frame later than the one in which it was put there begins when that one is done.
      requestAnimationFrame(() => requestAnimationFrame(() => {
        for (const body of fresh) if (!painted.has(body)) painted.set(body, performance.timeOrigin + performance.now());
      }));
    }).observe(document.querySelector('table.events tbody')!, { childList: true });
  });
}

test('from an append to a painted row', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await hub.mcp.append({ body: 'the first' });
  await expect(rows(page)).toHaveCount(1);
  await watchRows(page);
  const sent = new Map<string, number>();
  for (let at = 0; at < DELIVERIES; at += 1) {
    sent.set(`delivery ${at}`, performance.timeOrigin + performance.now());
    await hub.mcp.append({ body: `delivery ${at}` });
    await page.waitForTimeout(30);
  }
  await expect(rows(page)).toHaveCount(DELIVERIES + 1);
  await page.waitForTimeout(200);
  const painted = new Map(await page.evaluate(() => [...(window as unknown as { painted: Map<string, number> }).painted]));
  tell('from the request to append to two frames after the row', [...sent].flatMap(([body, at]) => (painted.has(body) ? [painted.get(body)! - at] : [])));
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
    // As even as this process can: 400 in each second.
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < 2_000; at += 1) {
      const late = started + at * 2.5 - Date.now();
      if (late > 1) await new Promise((resolve) => setTimeout(resolve, late));
      sent.push(hub.mcp.append({ body: at % 100 ? `event ${at}` : `event ${at} ${large}` }));
    }
    await Promise.all(sent);
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
