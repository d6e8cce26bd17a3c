import type { Page } from '@playwright/test';
import { expect, test } from '../tests/support/fixtures.ts';
import { live, open, rows } from '../tests/support/pages.ts';
test.use({ trace: 'off', screenshot: 'off', viewport: { width: 1280, height: 800 } });
test.setTimeout(120000);
async function watch(page: Page) {
  await page.evaluate(() => {
    const w = window as any; w.frames = []; w.total = { add: 0, rem: 0 };
    new MutationObserver((rs) => {
      const tb = document.querySelector('table.events tbody');
      const add = rs.filter((r) => r.target === tb).flatMap((r) => [...r.addedNodes]).filter((n) => n.nodeName === 'TR').length;
      const rem = rs.filter((r) => r.target === tb).flatMap((r) => [...r.removedNodes]).filter((n) => n.nodeName === 'TR').length;
      w.total.add += add; w.total.rem += rem; w.frames.push([add, rem, rs.length]);
    }).observe(document.querySelector('main')!, { childList: true, subtree: true });
  });
}
for (const [name, before, n, fn, gap] of [
  ['one by one, short', 1, 40, 1, 30], ['one by one, full', 600, 40, 1, 30], ['burst full', 600, 200, 16, 0], ['same text', 600, 60, 8, 0]] as const) {
  test(name, async ({ hub, page }) => {
    await hub.mcp.burst(before, (at) => ({ body: `old ${at}` }), 16);
    await open(page, '/log'); await live(page);
    await hub.mcp.burst(30, (at) => ({ body: `w ${at}` }), 16);
    await page.waitForTimeout(1500);
    await watch(page);
    const b = (at: number) => ({ body: name === 'same text' ? `s ${at % 5 ? 0 : at}` : `new ${at}` });
    if (gap) for (let i = 0; i < n; i++) { await hub.mcp.append(b(i)); await page.waitForTimeout(gap); }
    else await hub.mcp.burst(n, b, fn);
    await page.waitForTimeout(1500);
    const r = await page.evaluate(() => { const w = window as any; return { total: w.total, frames: w.frames.slice(0, 40), rows: document.querySelectorAll('table.events tbody tr').length }; });
    console.log(name, JSON.stringify(r));
  });
}
