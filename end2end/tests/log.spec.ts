// What a reader does with the log beside filtering and searching: looks at an event without leaving the place, sees it in context, takes
// texts and files along, and is told what is folded or counted.
import { readFileSync } from 'node:fs';

import { expect, test } from './support/fixtures.ts';
import { chips, live, open, row, rowIds, rows } from './support/pages.ts';

test.use({ viewport: { width: 1280, height: 800 } });

test('a row opens beside the log, the address keeps it, the way back closes it', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'first line\nsecond line of the first' });
  const second = await hub.mcp.append({ body: 'the second' });
  await open(page, '/log');
  await live(page);
  await row(page, 'the second').locator('.to-event').click();
  const peek = page.getByRole('complementary', { name: 'The chosen event' });
  await expect(peek).toContainText('the second');
  await expect(page).toHaveURL(`/log?peek=${second.id}`);
  await row(page, 'first line').locator('.to-event').click();
  await expect(peek).toContainText('second line of the first');
  // The log beside it goes on.
  await hub.mcp.append({ body: 'meanwhile' });
  await expect(row(page, 'meanwhile')).toBeVisible();
  await expect(peek).toContainText('second line of the first');
  await page.reload();
  await expect(peek).toContainText('second line of the first');
  await page.goBack();
  await expect(page).toHaveURL('/log');
  await expect(peek).toHaveCount(0);
});

test('an event that is not there says so beside the log', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'here' });
  await page.goto('/log?peek=evt_unknown');
  const peek = page.getByRole('complementary', { name: 'The chosen event' });
  await expect(peek).toContainText('no such event');
  await expect(row(page, 'here')).toBeVisible();
});

test('a body is shown raw, pretty or as Markdown, and the choice is remembered', async ({ hub, page }) => {
  const json = await hub.mcp.append({ body: '{"n":9007199254740993,"m":18446744073709551616,"a":1.0}' });
  const text = await hub.mcp.append({ body: '# Goal\n\n*do* it [here](javascript:alert(1)) <img src=x onerror="alert(1)">' });
  await open(page, `/event?id=${json.id}`);
  await expect(page.locator('#body')).toHaveText('{"n":9007199254740993,"m":18446744073709551616,"a":1.0}');
  await page.getByRole('link', { name: 'Pretty' }).click();
  await expect(page.locator('#body')).toContainText('"n": 9007199254740993,\n  "m": 18446744073709551616,\n  "a": 1.0', { useInnerText: true });
  await page.getByRole('link', { name: 'Markdown' }).click();
  await expect(page).toHaveURL(/as=markdown/);

  await open(page, `/event?id=${text.id}`);
  const body = page.locator('#body');
  await expect(body.getByRole('heading', { name: 'Goal' }), 'remembered').toBeVisible();
  await expect(body.locator('em')).toHaveText('do');
  await expect(body).toContainText('here (javascript:alert(1)) <img src=x onerror="alert(1)">');
  await expect(body.locator('a, img')).toHaveCount(0);

  await open(page, `/log?peek=${text.id}`);
  await expect(page.locator('#peek-body em')).toHaveText('do');
});

test('a hit is seen in its place in the whole log', async ({ hub, page }) => {
  await hub.mcp.burst(70, (at) => ({ body: `before ${at}` }), 1);
  const hit = await hub.mcp.append({ body: 'the needle', type: 'status' });
  await hub.mcp.burst(70, (at) => ({ body: `after ${at}` }), 1);
  await open(page, '/log?type=status');
  await row(page, 'the needle').getByRole('link', { name: 'context' }).click();
  await expect(page).toHaveURL(`/log?around=${hit.id}#selected`);
  const selected = page.locator('tr.selected');
  await expect(selected).toContainText('the needle');
  await expect(selected).toBeInViewport();
  const ids = await rowIds(page);
  const all = (await hub.mcp.newest()).map((event) => event.id);
  const from = all.indexOf(ids[0]!);
  expect(ids).toEqual(all.slice(from, from + ids.length));
  expect(ids.indexOf(hit.id)).toBe(50);
  await expect(rows(page).filter({ hasText: 'before 69' })).toHaveCount(1);
  await page.getByRole('link', { name: 'Newer events' }).click();
  await expect(rows(page).first()).toContainText('after 69');
  await page.getByRole('link', { name: 'To the newest' }).click();
  await expect(page).toHaveURL('/log');
});

test('statuses are counted over the whole log, whatever is shown', async ({ hub, page }) => {
  let number = 0;
  for (const status of ['blocked', 'blocked', 'applied']) await hub.mcp.append({ status, body: `is ${status}`, type: 'task.reply', correlation_id: `task_${(number += 1)}` });
  await open(page, '/log?type=status');
  await live(page);
  const totals = page.getByRole('list', { name: 'Statuses in the whole log' }).getByRole('listitem');
  await expect(totals).toHaveText([/applied\s*1/, /blocked\s*2/]);
  await hub.mcp.append({ status: 'blocked', body: 'one more', type: 'task.reply' });
  await hub.mcp.append({ body: 'wakes the page', type: 'status' });
  await expect(totals).toHaveText([/applied\s*1/, /blocked\s*3/]);
  await totals.getByRole('link', { name: /blocked/ }).click();
  await expect(rows(page)).toHaveCount(3);
  await page.getByText('Types', { exact: true }).click();
  const types = page.getByRole('list', { name: 'Types in the whole log' }).getByRole('listitem');
  await expect(types).toHaveText([/task\.reply\s*4/, /status\s*1/]);
  await types.getByRole('link', { name: /status/ }).click();
  await expect(page).toHaveURL('/log?type=status');
  await expect(rows(page)).toHaveCount(1);
});

test('older events come by scrolling until the beginning, and what is read does not jump', async ({ hub, page }) => {
  await hub.mcp.burst(260, (at) => ({ body: `event ${at}` }), 8);
  await open(page, '/log');
  await live(page);
  await expect(rows(page)).toHaveCount(100);
  const end = () => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await end();
  await expect(rows(page)).toHaveCount(200);
  const read = rows(page).nth(150);
  const id = await read.getAttribute('id');
  await read.scrollIntoViewIfNeeded();
  const before = (await read.boundingBox())!.y;
  await end();
  await expect(rows(page)).toHaveCount(260);
  await expect(page.getByRole('main')).toContainText('This is the beginning of the log.');
  await expect(page.getByRole('link', { name: 'Older events' })).toHaveCount(0);
  expect(await rows(page).nth(150).getAttribute('id')).toBe(id);
  await read.scrollIntoViewIfNeeded();
  expect(before).toBeGreaterThan(0);
  const wanted = (await hub.mcp.newest(260)).map((event) => event.id);
  expect(await rowIds(page)).toEqual(wanted);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('a window in time is a form, an address and chips', async ({ hub, page }) => {
      await hub.mcp.append({ body: 'today' });
      await page.goto('/log');
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('since (UTC)').fill('2026-01-01');
      await page.getByLabel('before (UTC)').fill('2999-01-01T00:00:00Z');
      await page.getByRole('button', { name: 'Show' }).click();
      await expect(page).toHaveURL(/since_created_at=2026-01-01.*before_created_at=2999/);
      await expect(chips(page)).toContainText([/since 2026-01-01T00:00:00Z/, /before 2999-01-01T00:00:00Z/]);
      await expect(rows(page)).toHaveCount(1);
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('before (UTC)').fill('2020-01-01');
      await page.getByRole('button', { name: 'Show' }).click();
      await expect(rows(page)).toHaveCount(0);
      await page.goto('/log?before_created_at=yesterday');
      await expect(page.getByRole('alert')).toContainText("before_created_at='yesterday' is not a valid");
    });

    test('what was searched for is offered again', async ({ hub, page }) => {
      await hub.mcp.append({ body: 'a needle' });
      await page.goto('/log?q=needle');
      await page.goto('/log');
      const offered = page.locator('datalist#searches option');
      await expect(offered).toHaveCount(1);
      await expect(offered).toHaveAttribute('value', 'needle');
      await expect(page.getByRole('combobox', { name: 'Search the log' })).toHaveAttribute('list', 'searches');
      await page.getByText('Filter', { exact: true }).click();
      await page.getByRole('button', { name: 'Forget my searches' }).click();
      await expect(page).toHaveURL('/log');
      await expect(offered).toHaveCount(0);
    });
  });
}

test('rows that say the same become one with their number, and stand one by one when asked', async ({ hub, page }) => {
  for (let at = 0; at < 4; at += 1) await hub.mcp.append({ body: 'still watching' });
  await hub.mcp.append({ body: 'something else' });
  await open(page, '/log');
  await live(page);
  await expect(rows(page)).toHaveCount(2);
  await expect(row(page, 'still watching').locator('.times')).toHaveText('×4');
  await hub.mcp.append({ body: 'something else' });
  await expect(row(page, 'something else').locator('.times')).toHaveText('×2');
  await row(page, 'still watching').locator('.times').click();
  await expect(page).toHaveURL('/log?fold=no');
  await expect(rows(page)).toHaveCount(6);
});

test('what is shown can be taken along, whole', async ({ hub, page }) => {
  const long = `${'x'.repeat(3_000)} the end`;
  await hub.mcp.burst(120, (at) => ({ body: `${at} ${long}`, type: at % 2 ? 'status' : 'note.a' }), 8);
  await open(page, '/log?type=status');
  await page.getByText('Export').click();
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: /NDJSON/ }).click();
  const download = await started;
  expect(download.suggestedFilename()).toBe('loggia-log.ndjson');
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
  const wanted = await hub.mcp.newest(500, { type: 'status' });
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(wanted.map((event) => event.id));
  expect(lines.every((line) => (JSON.parse(line) as { body: string }).body.endsWith('the end'))).toBe(true);

  const text = await page.context().request.get('/log/export?format=txt&type=status');
  expect(text.headers()['content-disposition']).toContain('loggia-log.txt');
  expect((await text.text()).split(' the end').length - 1).toBe(60);
  expect((await page.context().request.get('/log/export?format=csv')).status()).toBe(400);
});

test('the exact text of an event goes into the clipboard', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const body = 'a\u200bb\r\n  <i>c</i> \u{1f600}';
  const event = await hub.mcp.append({ body, metadata: { n: 1 } });
  await open(page, `/log?peek=${event.id}`);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy body' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toHaveCount(1);
  expect(await clipboard()).toBe(body);
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toHaveCount(2);
  expect(JSON.parse(await clipboard())).toMatchObject({ id: event.id, body });
});

test('the reader chooses how dense the rows are and which columns they have, and the choice is remembered', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'a word' });
  // Wide enough for every column.
  await page.setViewportSize({ width: 1500, height: 800 });
  await open(page, '/log');
  await expect(page.getByRole('columnheader', { name: 'stream / room' })).toBeVisible();
  const height = () => rows(page).first().evaluate((row) => row.getBoundingClientRect().height);
  const usual = await height();
  await page.getByText('View', { exact: true }).click();
  await page.getByRole('button', { name: 'Dense rows' }).click();
  await page.getByRole('button', { name: 'Without stream / room' }).click();
  await expect(page.getByRole('columnheader', { name: 'stream / room' })).toBeHidden();
  await expect(rows(page).first().locator('.c-room')).toBeHidden();
  expect(await height()).toBeLessThan(usual);
  await open(page, '/log');
  await expect(page.getByRole('columnheader', { name: 'stream / room' })).toBeHidden();
  await page.getByText('View', { exact: true }).click();
  await page.getByRole('button', { name: 'Without stream / room', pressed: true }).click();
  await expect(page.getByRole('columnheader', { name: 'stream / room' })).toBeVisible();
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('an event beside the log, its forms and the export are plain links', async ({ hub, page }) => {
    const event = await hub.mcp.append({ body: '**strong** words', status: 'blocked' });
    await page.goto(`/log?peek=${event.id}`);
    await page.getByRole('link', { name: 'Markdown' }).click();
    await expect(page.locator('#peek-body strong')).toHaveText('strong');
    await page.getByRole('link', { name: 'In context' }).click();
    await expect(page.locator('tr.selected')).toContainText('words');
    await expect(page.getByRole('list', { name: 'Statuses in the whole log' })).toContainText('blocked 1');
    await page.goto(`/event?id=${event.id}&as=markdown`);
    await expect(page.locator('#body strong')).toHaveText('strong');
  });
});
