// Takes the pictures of the documents, of the day that `loggia demo` invents. A fault in a page fails the picture.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { expect, test } from '../tests/support/fixtures.ts';
import { Hub } from '../tests/support/hub.ts';
import { openStream, startWait } from '../tests/support/listeners.ts';
import type { Event } from '../tests/support/mcp.ts';
import { live, open } from '../tests/support/pages.ts';

const FOLDER = '../docs/pictures';
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 760 };

test.use({ trace: 'off', viewport: DESK });

/** Writes the day, and lets three of its agents listen. */
async function day(hub: Hub): Promise<Event[]> {
  await hub.command('demo');
  await openStream(hub, 'to_agent=win%3Acodex');
  await openStream(hub, 'to_agent=lab%3Acursor&stream=demo%2Fatlas');
  startWait(hub, { from_agent: 'mac:claude', to_agent: 'mac:claude', type: 'patch.ready', timeout_s: 120 });
  return hub.mcp.newest(200);
}

/** Takes the picture of the window. */
async function picture(page: Page, name: string): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
}

/** The first event that passes, which the day is known to hold. */
function one(events: Event[], passes: (event: Event) => boolean): Event {
  const found = events.find(passes);
  if (!found) throw new Error('the invented day has no such event');
  return found;
}

test('Now, the log, a task and a patch', async ({ hub, page }) => {
  const events = await day(hub);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await open(page, '/');
  await live(page);
  await picture(page, 'now');

  const request = one(events, (event) => event.type === 'task.request' && event.stream === 'demo/atlas');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await open(page, `/log?peek=${request.id}&as=pretty`);
  await live(page);
  await picture(page, 'log');

  // The day's longest delegation; its picture begins at the lanes.
  const counts = new Map<string, number>();
  for (const { correlation_id: id } of events) if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
  const [longest] = [...counts].sort(([, a], [, b]) => b - a)[0]!;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await open(page, `/task?id=${encodeURIComponent(longest)}&view=lanes`);
  await live(page);
  await picture(page, 'task');

  // One without carriage returns: a line of marks would hide the rest.
  const patch = one(events, (event) => event.type === 'patch.ready' && event.from_agent === 'lab:cursor');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await open(page, `/artifact?id=${encodeURIComponent(patch.artifact_ids[0]!)}`);
  await expect(page.getByText('Verified in this page')).toBeVisible();
  await picture(page, 'artifact');
});

test('the hub and those that it pulls from', async ({ hub, page }) => {
  await day(hub);
  const others = await Promise.all([Hub.start(), Hub.start()]);
  try {
    for (const [at, other] of others.entries()) await other.mcp.append({ from_agent: ['lab:cursor', 'mac:claude'][at]!, body: 'good morning' });
    const peer = (name: string, at: number) => ({ name, url: others[at]!.url, token: others[at]!.token });
    const write = (of: Hub, peers: object[]) => writeFile(join(of.palace, 'peers.json'), JSON.stringify({ peers }), { mode: 0o600 });
    await write(others[0]!, [{ name: 'desk', url: hub.url, token: hub.token }]);
    await write(hub, [peer('laptop', 0), peer('lab', 1)]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(page, '/hub');
    await expect(page.locator('.replica-table')).toContainText('In step', { timeout: 30_000 });
    await expect(page.locator('.replica-table .status')).toHaveText(['reachable', 'reachable'], { timeout: 30_000 });
    await picture(page, 'hub');
  } finally {
    for (const other of others) await other.dispose();
  }
});

test.describe('in Chinese, on a phone', () => {
  test.use({ locale: 'zh-CN', viewport: PHONE });

  test('Now', async ({ hub, page }) => {
    await day(hub);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(page, '/');
    await picture(page, 'now-phone');
  });
});
