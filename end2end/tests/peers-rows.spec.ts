// Rows that another program put into the log, by replication or by hand, keep no rule of ours: they are shown as words in their place, and
// none of them stops what follows.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { python } from './support/delegation.ts';
import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import type { Hub } from './support/hub.ts';
import { live, open, row, rows, watchReloads } from './support/pages.ts';
import { HOSTILE } from './support/samples.ts';

const REPLICA = 'rep_00000000000000000000000000000000';
const INSERT = `
import json, sqlite3, sys
log = sqlite3.connect(sys.argv[1], timeout=10)
for row in json.loads(sys.argv[2]):
    names = ", ".join(row)
    log.execute(f"INSERT INTO events ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
log.commit()
`;

let written = 0;

/** Writes rows of another hub, with whatever is given in place of what an ordinary one has. */
async function insert(hub: Hub, ...given: Record<string, unknown>[]): Promise<string[]> {
  const all = given.map((row) => {
    written += 1;
    const id = `evt_20260101T000000_${String(written).padStart(12, '0')}`;
    const stamp = { hlc: `${String(Date.now()).padStart(13, '0')}-000000-${REPLICA}`, origin_replica: REPLICA, origin_seq: written };
    const plain = { type: 'x.note', stream: 'project/atlas', room: 'talk', from_agent: 'lab:cursor', created_at: '2026-01-01T00:00:00Z' };
    return { id, ...plain, metadata_json: '{}', ...stamp, ...row };
  });
  await promisify(execFile)(python(), ['-c', INSERT, join(hub.palace, 'logstream.sqlite3'), JSON.stringify(all)]);
  return all.map((row) => row.id);
}

test('an event that comes late is shown as new, and marked with the hub that it came from', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'now' });
  await open(page, '/log');
  await live(page);
  const noReloads = watchReloads(page);
  await insert(hub, { body: 'from yesterday', hlc: `1700000000000-000000-${REPLICA}` });
  await expect(rows(page)).toHaveText([/from yesterday/, /now/]);
  const mark = row(page, 'from yesterday').getByText('late', { exact: true });
  await expect(mark).toBeVisible();
  await expect(mark).toHaveAttribute('title', new RegExp(REPLICA));
  await expect(row(page, 'now').getByText('late', { exact: true })).toHaveCount(0);
  noReloads();
  await page.reload();
  await live(page);
  await expect(rows(page)).toHaveText([/from yesterday/, /now/]);
  await expect(mark).toBeVisible();
});

test('values that no rule allows are words, listed and live', async ({ hub, page }) => {
  // It opens the page of every row.
  test.setTimeout(120_000);
  await hub.mcp.append({ body: 'the first' });
  await open(page, '/log');
  await live(page);
  const ids = await insert(
    hub,
    ...HOSTILE.map((bad) => ({ type: bad, status: bad, to_agent: bad, topic: bad, correlation_id: bad, branch: bad, base_commit: bad, body: `hostile ${bad}` })),
    { body: 'no number', metadata_json: '{"loss": NaN, "most": Infinity}' },
    { body: 'no object', metadata_json: '[1' },
    { body: 'no words', from_agent: '', stream: '', room: '', type: '' },
    { body: 'odd time', created_at: 'yesterday', hlc: 'never' },
    { body: 'long names', from_agent: 'a'.repeat(5_000), type: 't'.repeat(5_000), status: 's'.repeat(5_000) },
  );
  await hub.mcp.append({ body: 'the last' });
  await expect(rows(page)).toHaveCount(ids.length + 2);
  await expect(rows(page).first()).toContainText('the last');
  await expectHarmless(page, 'live');
  await page.reload();
  await live(page);
  await expect(rows(page)).toHaveCount(ids.length + 2);
  await expectHarmless(page, 'listed');
  for (const id of ids) {
    await open(page, `/event?id=${encodeURIComponent(id)}`);
    await expect(page.locator('#body')).not.toHaveText('');
    await expectHarmless(page, id);
  }
  await open(page, '/');
  await live(page);
  await expectHarmless(page, 'Now');
  await open(page, `/task?id=${encodeURIComponent(HOSTILE[0])}`);
  await expectHarmless(page, 'task');
});

test('a frame that nobody can read costs its own row and nothing else', async ({ hub, page }) => {
  // The hub sends no such frame, so the browser is given one: by the stream that the page has opened.
  await page.addInitScript(() => {
    const Real = EventSource;
    const opened: EventSource[] = [];
    Object.assign(window, { opened });
    window.EventSource = class extends Real {
      constructor(url: string | URL, more?: EventSourceInit) {
        super(url, more);
        opened.push(this);
      }
    };
  });
  await hub.mcp.append({ body: 'before' });
  await open(page, '/log');
  await live(page);
  await page.evaluate(() => {
    const { opened } = window as unknown as { opened: EventSource[] };
    const frame = (data: string, lastEventId: string) => opened.at(-1)!.dispatchEvent(new MessageEvent('logstream', { data, lastEventId }));
    frame('{"id": "evt_broken", "metadata": {"loss": NaN', 'evt_broken');
    frame('', 'evt_empty');
  });
  await expect(page.getByRole('main')).toContainText('An event came that this page cannot read; the rest goes on.');
  await expect(page.getByRole('link', { name: 'evt_broken' })).toBeVisible();
  await hub.mcp.append({ body: 'after' });
  await expect(row(page, 'after')).toBeVisible();
  await expect(row(page, 'before')).toBeVisible();
});

test('an answer that is stamped before what it answers: the clocks are blamed, and no time runs backwards', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  const half = Date.now() - 30 * 60_000;
  await insert(hub, {
    type: 'event.ack',
    from_agent: 'win:codex',
    to_agent: task.from_agent,
    correlation_id: task.correlation_id,
    status: 'claimed',
    body: 'Taking it.',
    metadata_json: JSON.stringify({ ack_of: task.id }),
    hlc: `${String(half).padStart(13, '0')}-000000-${REPLICA}`,
    created_at: new Date(half).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  await open(page, `/task?id=${task.correlation_id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Draw the map');
  await expect(page.locator('.notes')).toContainText(/Clocks differ by about (29|30) min/);
  await expect(page.locator('ol.steps')).toContainText(/clocks differ by about (29|30) min/);
  await expect(page.locator('main')).not.toContainText(/[-−]\d+ ?(ms|s|min|h)\b/);
});
