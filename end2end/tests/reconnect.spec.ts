// The stream of a page when something breaks: the badge never claims more than a recent heartbeat proves, and what was missed comes.
import { expect, test } from './support/fixtures.ts';
import { HUB_AWAY } from './support/faults.ts';
import { Hub } from './support/hub.ts';
import { badge, firstDifference, live, open, row, rowIds, rows } from './support/pages.ts';
import { Proxy } from './support/proxy.ts';

test('a hub that dies and returns: nothing is missed, nothing comes twice', async ({ faults, hub, page }) => {
  faults.expect(HUB_AWAY);
  await hub.mcp.burst(5, (at) => ({ body: `before ${at}` }), 1);
  await open(page, '/log');
  await live(page);
  await hub.mcp.append({ body: 'seen live' });
  await expect(row(page, 'seen live')).toBeVisible();

  await hub.kill();
  await expect(badge(page)).toHaveText('Reconnecting', { timeout: 3_000 });
  await hub.command('logstream', 'append', '--type', 'status', '--stream', 'project/atlas', '--room', 'status', '--from-agent', 'ci:runner', '--body', 'while the hub was away');
  await expect(badge(page)).not.toHaveText('Live');
  await hub.restart();
  await hub.mcp.append({ body: 'after the start' });

  await live(page);
  await expect(row(page, 'while the hub was away')).toHaveCount(1);
  await expect(row(page, 'after the start')).toHaveCount(1);
  expect(firstDifference(await rowIds(page), (await hub.mcp.newest()).map((event) => event.id))).toBeNull();
  await expect(page.getByRole('main')).not.toContainText('began anew');
});

test('a log that was put back to an older state is said, not passed over', async ({ faults, hub, page }) => {
  faults.expect(HUB_AWAY);
  faults.expect(/status of 40[04]/);
  await hub.mcp.append({ body: 'in the backup' });
  await hub.stop();
  const backup = await hub.saveLog();
  await hub.restart();
  await hub.mcp.append({ body: 'lost with the disk' });
  await open(page, '/log');
  await live(page);
  await expect(rows(page)).toHaveCount(2);

  await hub.kill();
  await backup();
  await hub.restart();
  await hub.mcp.append({ body: 'after the backup came back' });
  await expect(page.getByRole('main')).toContainText('The stream began anew here: events may be missing', { timeout: 15_000 });
  await live(page);
  await hub.mcp.append({ body: 'live again' });
  await expect(rows(page).first()).toContainText('live again');
  await page.reload();
  await expect(rows(page).locator('.c-body')).toHaveText([/live again/, /after the backup/, /in the backup/]);
});

/** The same with a proxy between the browser and the hub. */
const behindProxy = test.extend<{ between: Proxy }>({
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

behindProxy('a proxy that holds the stream back is found out, never shown as live', async ({ faults, hub, page, between }) => {
  faults.expect(HUB_AWAY);
  between.behave('hold-body');
  await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await expect(badge(page)).toHaveText('No heartbeat', { timeout: 12_000 });
  await expect(page.getByTitle(/a proxy in between may be holding the stream back/)).toBeVisible();
  await hub.mcp.append({ body: 'held back' });
  await expect(badge(page)).toHaveText('No heartbeat');
  between.behave('pass');
  await live(page);
  await expect(row(page, 'held back')).toHaveCount(1);
});

behindProxy('where no stream comes about, the page asks, and says so', async ({ faults, hub, page, between }) => {
  faults.expect(/status of 502/);
  await hub.mcp.append({ body: 'the first' });
  between.behave('bad-gateway');
  await open(page, '/log');
  await expect(badge(page)).toHaveText('Polling', { timeout: 15_000 });
  await expect(page.getByTitle(/asks for what is new now and again/)).toBeVisible();
  await hub.mcp.append({ body: 'asked for' });
  await expect(row(page, 'asked for')).toHaveCount(1, { timeout: 15_000 });
  await expect(badge(page)).toHaveText('Polling');
  between.behave('pass');
  await live(page);
  await hub.mcp.append({ body: 'by the stream' });
  await expect(rows(page).locator('.c-body')).toHaveText([/by the stream/, /asked for/, /the first/]);
});

behindProxy('a connection that goes silent is not shown as live for long', async ({ faults, hub, page, between }) => {
  faults.expect(HUB_AWAY);
  await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await live(page);
  between.behave('stall');
  const stalled = Date.now();
  await hub.mcp.append({ body: 'into the silence' });
  await expect(badge(page)).toHaveText(/^Stale since \d\d:\d\d UTC$/, { timeout: 22_000 });
  expect(Date.now() - stalled, 'ms until the badge says so').toBeLessThan(20_000);
  await expect(row(page, 'into the silence')).toHaveCount(0);
  between.behave('pass');
  await live(page);
  await expect(row(page, 'into the silence')).toHaveCount(1);
});

behindProxy('the error page of a proxy does not end the stream for good', async ({ faults, hub, page, between }) => {
  faults.expect(/status of 502/);
  faults.expect(HUB_AWAY);
  await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await live(page);
  between.behave('bad-gateway');
  await expect(badge(page)).toHaveText('Reconnecting', { timeout: 3_000 });
  await hub.mcp.append({ body: 'meanwhile' });
  await page.waitForResponse((response) => response.status() === 502);
  between.behave('pass');
  await live(page);
  await expect(rows(page).first()).toContainText('meanwhile');
  await expect(rows(page)).toHaveCount(2);
});
