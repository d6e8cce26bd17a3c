// The stream of a page while everything is well: nothing falls between the list and the stream, the window stays bounded, and the
// reader's place is left alone.
import { expect, test } from './support/fixtures.ts';
import { badge, firstDifference, live, open, row, rowIds, rows, setVisible } from './support/pages.ts';

test('nothing is lost between the list and the stream', async ({ hub, page }) => {
  await hub.mcp.burst(30, (at) => ({ body: `before ${at}` }));
  // The two seams: after the hub rendered the list and before the script runs, and before the stream is open.
  await page.route('**/*.wasm', async (route) => {
    await hub.mcp.append({ body: 'while the script loads' });
    await route.continue();
  });
  await page.route('**/logstream/stream*', async (route) => {
    await hub.mcp.append({ body: 'while the stream opens' });
    await route.continue();
  });
  await open(page, '/log');
  await live(page);
  await expect(row(page, 'while the script loads')).toHaveCount(1);
  await expect(row(page, 'while the stream opens')).toHaveCount(1);
  expect(firstDifference(await rowIds(page), (await hub.mcp.newest()).map((event) => event.id))).toBeNull();
});

test('a burst during the load leaves no hole and no double', async ({ hub, page }) => {
  const burst = hub.mcp.burst(400, (at) => ({ body: `burst ${at}`, from_agent: `agent:${at % 7}` }));
  await open(page, '/log');
  await burst;
  await hub.mcp.append({ body: 'the last one' });
  await expect(rows(page).first()).toContainText('the last one');
  const seen = await rowIds(page);
  expect(seen.length).toBeGreaterThanOrEqual(100);
  expect(firstDifference(seen, (await hub.mcp.newest(seen.length)).map((event) => event.id))).toBeNull();
});

test('an event that another process writes arrives too', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await hub.command('logstream', 'append', '--type', 'status', '--stream', 'project/atlas', '--room', 'status', '--from-agent', 'ci:runner', '--body', 'from the command line');
  await expect(row(page, 'from the command line')).toBeVisible({ timeout: 2_000 });
});

test('what is read stays where it is while new events come', async ({ hub, page }) => {
  await hub.mcp.burst(80, (at) => ({ body: `word ${at}` }));
  await open(page, '/log');
  await live(page);
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, 700);
  const read = rows(page).nth(40);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(400);
  await expect.poll(async () => (await read.boundingBox())?.y).toBeDefined();
  const before = { id: (await rowIds(page))[40], y: (await read.boundingBox())!.y };
  await hub.mcp.burst(3, (at) => ({ body: `new ${at}` }), 1);
  const fresh = page.getByRole('button', { name: '3 new' });
  await expect(fresh).toBeVisible();
  expect({ id: (await rowIds(page))[40], y: (await read.boundingBox())!.y }).toEqual(before);
  await fresh.click();
  await expect(rows(page).first()).toContainText('new 2');
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await expect(fresh).toHaveCount(0);
});

test('selecting text holds the list, and so does the button', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'a word to select' });
  await open(page, '/log');
  await live(page);
  await row(page, 'a word to select').getByText('a word to select').selectText();
  await hub.mcp.append({ body: 'new one' });
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  await expect(row(page, 'new one')).toHaveCount(0);
  await page.getByRole('button', { name: '1 new' }).click();
  await expect(row(page, 'new one')).toBeVisible();

  await page.getByRole('button', { name: 'Pause' }).click();
  await hub.mcp.append({ body: 'new two' });
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(row(page, 'new two')).toBeVisible();
});

test('a hidden tab closes its stream and goes on where it stopped', async ({ hub, page }) => {
  const opened: string[] = [];
  const closed: string[] = [];
  page.on('request', (request) => void (request.url().includes('/logstream/stream') && opened.push(request.url())));
  page.on('requestfailed', (request) => void (request.url().includes('/logstream/stream') && closed.push(request.url())));
  const last = await hub.mcp.append({ body: 'seen before' });
  await open(page, '/log');
  await live(page);
  const openedBefore = opened.length;

  await setVisible(page, false);
  await expect(badge(page)).toHaveText('Paused');
  await expect.poll(() => closed.length).toBe(openedBefore);
  await hub.mcp.burst(3, (at) => ({ body: `while hidden ${at}` }), 1);
  await expect(rows(page)).toHaveCount(1);

  await setVisible(page, true);
  await live(page);
  await expect(rows(page)).toHaveCount(4);
  expect(firstDifference(await rowIds(page), (await hub.mcp.newest()).map((event) => event.id))).toBeNull();
  expect(opened.length).toBe(openedBefore + 1);
  expect(new URL(opened.at(-1)!).searchParams.get('since_event_id')).toBe(last.id);
});

test('what was unfolded stays so while new events come', async ({ hub, page }) => {
  for (let at = 0; at < 8; at += 1) await hub.mcp.ack(await hub.mcp.createTask({ goal: `Task ${at}` }), 'win:codex', 'blocked', 'Why?');
  await open(page, '/');
  await live(page);
  await page.getByText('3 more', { exact: true }).click();
  const cards = page.getByRole('article').filter({ visible: true });
  await expect(cards).toHaveCount(8);
  await hub.mcp.ack(await hub.mcp.createTask({ goal: 'One more' }), 'win:codex', 'blocked', 'Why?');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nine delegations need someone');
  await expect(cards).toHaveCount(9);
});

test('the first event takes the place of what an empty hub says', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await expect(page.getByText('To write the first event by hand')).toBeVisible();
  await hub.mcp.append({ body: 'the very first' });
  await expect(row(page, 'the very first')).toBeVisible();
  await expect(page.getByText('To write the first event by hand')).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Streams and rooms' })).toContainText('project/atlas');
});

test('seven tabs of one browser all load, one stream each at most while visible', async ({ context, hub, page }) => {
  await hub.mcp.append({ body: 'in every tab' });
  const tabs = [page];
  for (const path of ['/log', '/', '/log', '/log', '/', '/log', '/log']) {
    const tab = tabs.length === 1 && tabs[0]!.url() === 'about:blank' ? page : await context.newPage();
    if (tab !== page) tabs.push(tab);
    const started = Date.now();
    await open(tab, path);
    await live(tab);
    expect(Date.now() - started, `ms until tab ${tabs.length} is live`).toBeLessThan(5_000);
    // The next tab opens in front of this one.
    await setVisible(tab, false);
  }
  expect(tabs).toHaveLength(7);
  await hub.mcp.append({ body: 'while all are hidden' });
  for (const tab of tabs) {
    await setVisible(tab, true);
    await live(tab);
    await expect(row(tab, 'while all are hidden')).toBeVisible();
    await setVisible(tab, false);
  }
});
