// The stream of a page when something breaks: the badge never claims more than a recent heartbeat proves, and what was missed comes.
import { expect, signIn, test } from './support/fixtures.ts';
import { HUB_AWAY } from './support/faults.ts';
import { Hub } from './support/hub.ts';
import { badge, hydrated, live, open, row, rowIds, rows } from './support/pages.ts';
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
  expect(await rowIds(page)).toEqual((await hub.mcp.newest()).map((event) => event.id));
  await expect(page.getByRole('main')).not.toContainText('began anew');
});

test.describe('behind a proxy', () => {
  test.use({ signedIn: false });
  let proxy: Proxy;
  let hub: Hub;

  test.beforeEach(async ({ context }) => {
    proxy = await Proxy.open();
    hub = await Hub.start({ args: ['--public-url', proxy.url] });
    proxy.lead(hub.url);
    await hub.mcp.append({ body: 'the first' });
    await signIn(context, hub, proxy.url);
  });

  test.afterEach(async () => {
    await proxy.close();
    await hub.dispose();
  });

  test('a proxy that holds the stream back is found out, never shown as live', async ({ faults, page }) => {
    faults.expect(HUB_AWAY);
    proxy.behave('hold-body');
    await page.goto(`${proxy.url}/log`);
    await hydrated(page);
    await expect(badge(page)).toHaveText('No heartbeat', { timeout: 12_000 });
    await expect(page.getByTitle(/a proxy in between may be holding the stream back/)).toBeVisible();
    await hub.mcp.append({ body: 'held back' });
    await expect(badge(page)).toHaveText('No heartbeat');
    proxy.behave('pass');
    await live(page);
    await expect(row(page, 'held back')).toHaveCount(1);
  });

  test('a connection that goes silent is not shown as live for long', async ({ faults, page }) => {
    faults.expect(HUB_AWAY);
    await page.goto(`${proxy.url}/log`);
    await hydrated(page);
    await live(page);
    proxy.behave('stall');
    const stalled = Date.now();
    await hub.mcp.append({ body: 'into the silence' });
    await expect(badge(page)).toHaveText(/^Stale since \d\d:\d\d UTC$/, { timeout: 22_000 });
    expect(Date.now() - stalled, 'ms until the badge says so').toBeLessThan(20_000);
    await expect(row(page, 'into the silence')).toHaveCount(0);
    proxy.behave('pass');
    await live(page);
    await expect(row(page, 'into the silence')).toHaveCount(1);
  });

  test('the error page of a proxy does not end the stream for good', async ({ faults, page }) => {
    faults.expect(/status of 502/);
    faults.expect(HUB_AWAY);
    await page.goto(`${proxy.url}/log`);
    await hydrated(page);
    await live(page);
    proxy.behave('bad-gateway');
    await expect(badge(page)).toHaveText('Reconnecting', { timeout: 3_000 });
    await hub.mcp.append({ body: 'meanwhile' });
    await page.waitForResponse((response) => response.status() === 502);
    proxy.behave('pass');
    await live(page);
    await expect(rows(page).first()).toContainText('meanwhile');
    await expect(rows(page)).toHaveCount(2);
  });
});
