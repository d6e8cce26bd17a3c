// The hub's own page: two real hubs, one of them restored from a backup; a peer that is dead, and one with an event that cannot be taken.
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import { freePort, Hub } from './support/hub.ts';
import { open } from './support/pages.ts';

const FOLDER = 'test-results/screenshots';
const SOON = { timeout: 30_000 };
const START = { env: { LOGGIA_SYNC_INTERVAL_S: '0.2' } };

test.use({ start: START });

/** A hub that is none of ours: one good author, and one whose second event names an artifact that nobody has. */
async function foreign(): Promise<{ url: string; close: () => void }> {
  const author = (digit: string) => `rep_${digit.repeat(32)}`;
  const event = (origin: string, n: number) => ({
    id: `evt_20261130T140000_${origin[4]}0000000000${n}`, seq: n, origin_replica: origin, origin_seq: n, hlc: `${1_796_068_474_000 + n}-000000-${origin}`,
    type: 't.x', stream: 's', room: 'r', topic: null, from_agent: 'a', to_agent: null, correlation_id: null, branch: null, base_commit: null, status: null,
    artifact_ids: origin === author('1') && n === 2 ? ['art_<img src=x onerror=alert(1)>'] : [], body: 'b', created_at: '2026-11-30T14:00:00Z', metadata: {},
  });
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const origin = searchParams.get('origin') ?? '';
    const events = [1, 2, 3].filter((n) => n > Number(searchParams.get('after'))).map((n) => event(origin, n));
    const answers: Record<string, object> = {
      '/sync/version_vector': { replica_id: author('0'), version_vector: { [author('1')]: 3, [author('2')]: 3 }, profile: { program: 'mempalace/3.11.0 <b>' } },
      '/sync/ops': { origin, events, count: events.length },
    };
    response.writeHead(answers[pathname] ? 200 : 404).end(JSON.stringify(answers[pathname] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void (server.closeAllConnections(), server.close()) };
}

/** Says from which hubs a hub pulls. */
async function pull(hub: Hub, peers: [name: string, url: string, token: string][]): Promise<void> {
  const text = JSON.stringify({ peers: peers.map(([name, url, token]) => ({ name, url, token })) });
  await writeFile(join(hub.palace, 'peers.json'), text, { mode: 0o600 });
}

/** The row of a peer. */
function peer(page: Page, name: string) {
  return page.locator('.replica-table tbody').filter({ hasText: name });
}

/** Takes pictures in light, dark and on a phone, and fails where a page is wider than its window. */
async function looks(page: Page, name: string): Promise<void> {
  for (const [look, colorScheme, width, height] of [
    ['light', 'light', 1360, 860],
    ['dark', 'dark', 1360, 860],
    ['phone', 'light', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${FOLDER}/hub-${name}-${look}.png`, fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} ${look}`).toBeLessThanOrEqual(0);
  }
}

test('peers, what blocks them and a restored backup stand there, and the page stays fresh', async ({ faults, hub, page }) => {
  faults.expect(/ERR_/);
  test.setTimeout(120_000);
  const other = await Hub.start(START);
  const archive = await foreign();
  try {
    await hub.mcp.append({ from_agent: 'a', to_agent: '*', body: 'before the backup' });
    await hub.stop();
    const putBack = await hub.saveLog();
    await hub.restart();
    await hub.mcp.append({ from_agent: 'a', to_agent: '*', body: 'after the backup' });
    await pull(other, [['first', hub.url, hub.token]]);
    await expect.poll(async () => (await other.mcp.newest(5)).length, SOON).toBe(2);
    await hub.stop();
    await putBack();
    await pull(hub, [
      ['desk', other.url, other.token],
      ['laptop', `http://127.0.0.1:${await freePort()}`, 'x'.repeat(20)],
      ['archive', archive.url, 'x'.repeat(20)],
    ]);
    await hub.restart();

    await open(page, '/hub');
    const alarms = page.getByRole('region', { name: 'Alarms' });
    await expect(alarms).toContainText('it has taken its own events back from desk', SOON);
    await expect(alarms).toContainText('Events do not come from archive; authors held back: 1.', SOON);
    await expect(alarms).toContainText('Not reached for some time: laptop', SOON);
    await expect(peer(page, 'desk').locator('.status')).toHaveText(['reachable']);
    await expect(peer(page, 'desk')).toContainText('In step', SOON);
    await expect(peer(page, 'laptop')).toContainText('cannot be reached');
    await expect(peer(page, 'archive').locator('.status')).toHaveText(['holds back', 'stopped']);
    await expect(peer(page, 'archive')).toContainText('art_<img src=x onerror=alert(1)>');
    await expect(page.getByRole('region', { name: 'Mesh' }).locator('svg')).toContainText('holds back');
    await expectHarmless(page, 'the hub');
    await looks(page, 'busy');

    // What is new appears while somebody looks.
    await other.kill();
    await expect(peer(page, 'desk').locator('.status')).toHaveText(['failing'], SOON);

    await open(page, '/log');
    await expect(page.locator('.hub-banner')).toContainText('restored from an old backup');
    await page.getByRole('link', { name: 'What to do' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hub');
  } finally {
    archive.close();
    await other.dispose();
  }
});

test('a hub alone has a quiet page and a report to copy', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, '/');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hub' }).click();
  await expect(page.getByRole('region', { name: 'Alarms' })).toContainText('Nothing needs you here.');
  await expect(page.locator('.hub-banner')).toHaveCount(0);
  await looks(page, 'empty');
  await page.getByRole('button', { name: 'Copy the report' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toContain('limit LOGGIA_MAX_STREAMS ');
  expect(report).not.toContain(hub.token);
});

test.describe('without the script', () => {
  test.use({ javaScriptEnabled: false });

  test('the page is whole', async ({ hub, page }) => {
    await hub.command('demo');
    await page.goto('/hub');
    await expect(page.locator('.hub-banner')).toContainText('invented data');
    await expect(page.getByRole('region', { name: 'Limits' })).toContainText('LOGGIA_MAX_CONNECTIONS');
    await page.getByText('Show the report').click();
    await expect(page.locator('#hub-report')).toContainText('alarm: demo data');
    await expect(page.getByRole('button', { name: 'Copy the report' })).toBeHidden();
  });
});

test.describe('open to everybody on this machine', () => {
  test.use({ start: { args: ['--no-auth', '--read-only'] }, signedIn: false });

  test('that nobody is asked and nothing written is said with what to do', async ({ page }) => {
    await open(page, '/hub');
    const alarms = page.getByRole('region', { name: 'Alarms' });
    await expect(alarms).toContainText('The hub asks for no token.');
    await expect(alarms).toContainText('The hub is read-only.');
    await expect(page.locator('.banner')).toHaveCount(2);
  });
});
