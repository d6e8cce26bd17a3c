// Behind a web server that keeps answers until they are whole and now and then answers with an error page of its own: everything works,
// and nothing that went wrong once stays wrong.
import { expect, test as base } from './support/fixtures.ts';
import { BufferingProxy } from './support/buffering.ts';
import { HUB_AWAY } from './support/faults.ts';
import { Hub } from './support/hub.ts';
import { badge, live, open, row, rows, state } from './support/pages.ts';
import { PATCH } from './support/samples.ts';

const test = base.extend<{ between: BufferingProxy }>({
  between: async ({}, use) => {
    const proxy = await BufferingProxy.open();
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

test('what is read, followed and written works through it', async ({ between, hub, page }) => {
  await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await live(page);
  await hub.mcp.append({ body: 'at once' });
  await expect(row(page, 'at once')).toBeVisible({ timeout: 3_000 });
  await row(page, 'the first').locator('.to-event').click();
  await expect(page.getByRole('complementary')).toContainText('the first');
  // The badge goes on being live by heartbeats, not by the events alone.
  await expect(badge(page)).toHaveText('Live');

  const task = await hub.mcp.createTask();
  const { artifact } = await hub.mcp.submit(task, PATCH);
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.getByText('Verified in this page')).toBeVisible();
  await open(page, `/task?id=${task.correlation_id}`);
  await live(page);
  await page.getByText('Answer as a person').click();
  await page.getByLabel('What it is').selectOption('applied');
  await page.getByRole('button', { name: 'Write to the log' }).click();
  await expect(state(page)).toHaveText('applied');
  expect(between.asked.some((what) => what.startsWith('GET /logstream/stream'))).toBe(true);
});

test('a stream whose first answer is an error page comes all the same', async ({ between, faults, hub, page }) => {
  faults.expect(/status of 502/);
  faults.expect(HUB_AWAY);
  between.failOnce(/^GET \/logstream\/stream/);
  await hub.mcp.append({ body: 'before' });
  await open(page, '/log');
  await expect.poll(() => between.hasFailed).toBe(true);
  await hub.mcp.append({ body: 'after' });
  await live(page);
  await expect(rows(page)).toHaveText([/after/, /before/]);
});

test('a question that got an error page is said, and asked again', async ({ between, faults, hub, page }) => {
  faults.expect(/status of 502/);
  const first = await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await live(page);
  between.failOnce(/^POST \/api\//);
  await row(page, 'the first').locator('.to-event').click();
  await expect.poll(() => between.hasFailed).toBe(true);
  const peek = page.getByRole('complementary', { name: 'The chosen event' });
  await expect(peek.getByRole('alert')).toContainText('The hub did not answer');
  // The log beside it goes on, and the next attempt shows the event.
  await hub.mcp.append({ body: 'meanwhile' });
  await expect(row(page, 'meanwhile')).toBeVisible();
  await page.goto(`/log?peek=${first.id}`);
  await expect(peek).toContainText('the first');
  await expect(peek.getByRole('alert')).toHaveCount(0);
});

test('a page whose script did not come is read and left by its links', async ({ between, faults, hub, page }) => {
  faults.expect(/status of 502|502 Bad Gateway/);
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  between.failOnce(/^GET \/pkg\/.*\.wasm/);
  await page.goto('/');
  await expect.poll(() => between.hasFailed).toBe(true);
  await expect(badge(page), 'it claims nothing').toHaveText('Snapshot');
  await page.getByRole('link', { name: 'Draw the map' }).first().click();
  await expect(page).toHaveURL(new RegExp(`/task\\?id=${task.correlation_id}`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Draw the map');
});

test('a page that got an error page is there when it is asked for again', async ({ between, faults, hub, page }) => {
  faults.expect(/status of 502/);
  // The proxy's page names no icon, so the browser asks for the usual one.
  faults.expect(/favicon\.ico/);
  await hub.mcp.append({ body: 'the first' });
  between.failOnce(/^GET \/log/);
  expect((await page.goto('/log'))?.status()).toBe(502);
  await page.reload();
  await live(page);
  await expect(row(page, 'the first')).toBeVisible();
});
