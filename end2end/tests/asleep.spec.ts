// A machine that was asleep: its clock jumps, its connection is dead without having been closed. The page finds out by itself, claims
// nothing that it does not know, and goes on where it stood.
import { expect, test as base } from './support/fixtures.ts';
import { HUB_AWAY } from './support/faults.ts';
import { Hub } from './support/hub.ts';
import { badge, firstDifference, live, open, row, rowIds, rows } from './support/pages.ts';
import { Proxy } from './support/proxy.ts';

const test = base.extend<{ between: Proxy }>({
  between: async ({}, use) => {
    const proxy = await Proxy.open();
    await use(proxy);
    await proxy.close();
  },
  hub: async ({ between }, use) => {
    const hub = await Hub.start({ args: ['--public-url', between.url] });
    between.lead(hub.url);
    await use(hub);
    await hub.dispose();
  },
  baseURL: async ({ between }, use) => use(between.url),
});

test('ten minutes asleep: the page is not live when it wakes, and then everything is there', async ({ between, faults, hub, page }) => {
  faults.expect(HUB_AWAY);
  await page.clock.install();
  await hub.mcp.append({ body: 'before the sleep' });
  await open(page, '/log');
  await live(page);
  between.behave('stall');
  await hub.mcp.burst(20, (at) => ({ body: `during the sleep ${at}` }), 4);
  await page.clock.fastForward('10:00');
  await expect(badge(page)).not.toHaveText('Live');
  await expect(rows(page), 'nothing came through').toHaveCount(1);
  between.behave('pass');
  await hub.mcp.append({ body: 'after it' });
  await live(page);
  await expect(row(page, 'after it')).toHaveCount(1);
  expect(firstDifference(await rowIds(page), (await hub.mcp.newest()).map((event) => event.id))).toBeNull();
});
