// When all places for live streams are taken: the page never claims to be live, keeps trying, and misses nothing.
import { expect, test } from './support/fixtures.ts';
import { openStream } from './support/listeners.ts';
import { badge, firstDifference, live, open, row, rowIds, rows } from './support/pages.ts';

test.use({ start: { env: { LOGGIA_MAX_STREAMS: '1' } } });

test('a page without a place for its stream says so, and goes on where it stood when there is one', async ({ faults, hub, page }) => {
  faults.expect(/status of 503/);
  const leave = await openStream(hub, 'stream=nothing');
  await hub.mcp.append({ body: 'the first' });
  const refused = page.waitForResponse((answer) => answer.url().includes('/logstream/stream') && answer.status() === 503);
  await open(page, '/log');
  await refused;
  await expect(badge(page)).toHaveText(/^(Reconnecting|No connection)$/);
  await hub.mcp.append({ body: 'while it was full' });
  await page.waitForResponse((answer) => answer.url().includes('/logstream/stream') && answer.status() === 503);
  await expect(badge(page)).toHaveText(/^(Reconnecting|No connection)$/);
  await expect(row(page, 'while it was full')).toHaveCount(0);
  leave();
  await live(page);
  await expect(rows(page)).toHaveCount(2);
  expect(firstDifference(await rowIds(page), (await hub.mcp.newest()).map((event) => event.id))).toBeNull();
});
