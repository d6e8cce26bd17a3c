// Pictures of every page for people to look at: `test-results/screenshots`. The only claim here is that every page opens without a
// fault; whether it is beautiful is judged by eye.
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { writePalace } from './support/memory.ts';
import { live, open } from './support/pages.ts';
import { writeBusyDay, writeDemo } from './support/palaces.ts';

const FOLDER = 'test-results/screenshots';
const DESK = { width: 1360, height: 860 };
const PHONE = { width: 390, height: 844 };

test.use({ trace: 'off' });

/** Takes a picture of the first screen, and of the whole page where that is more. */
async function picture(page: Page, name: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  if (height > 1_000) {
    await page.screenshot({ path: `${FOLDER}/${name}-whole.png`, fullPage: true, clip: { x: 0, y: 0, width: page.viewportSize()!.width, height: Math.min(height, 3_000) } });
  }
}

/** Takes pictures of a page in light and dark on a desk, and on a phone. */
async function looks(page: Page, name: string): Promise<void> {
  for (const [look, colorScheme, size] of [
    ['light', 'light', DESK],
    ['dark', 'dark', DESK],
    ['phone', 'light', PHONE],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await picture(page, `${name}-${look}`);
  }
}

/** Opens each page and takes its pictures. */
async function pictures(page: Page, pages: Record<string, string>, name: string): Promise<void> {
  for (const [word, path] of Object.entries(pages)) {
    await page.setViewportSize(DESK);
    await open(page, path);
    await live(page);
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await looks(page, `${word}-${name}`);
  }
}

test('pictures of an empty hub', async ({ page }) => {
  await pictures(page, { now: '/', log: '/log' }, 'empty');
});

test('pictures of a day of delegations', async ({ faults, hub, page }) => {
  faults.expect(/status of 404 .*(nowhere|unknown)/);
  const filtered = '/log?type=task.request&type=patch.ready&exclude_from_agent=ci%3Arunner';
  await pictures(page, { ...(await writeDemo(hub)), filtered, missing: '/task?id=unknown', nowhere: '/nowhere' }, 'demo');
});

test('pictures of what stands beside and above the log', async ({ hub, page }) => {
  await writeDemo(hub);
  const [request] = await hub.mcp.newest(1, { type: 'task.request' });
  const id = request!.id;
  await pictures(page, { peek: `/log?peek=${id}`, markdown: `/log?peek=${id}&as=markdown`, around: `/log?around=${id}`, event: `/event?id=${id}&as=pretty` }, 'demo');
  await page.setViewportSize(DESK);
  await open(page, '/log');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lo');
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
  await looks(page, 'palette-demo');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('this list');
  await looks(page, 'keys-demo');
});

test('pictures of ten thousand events', async ({ hub, page }) => {
  // Writing them takes ten seconds, or a minute where much else is going on.
  test.setTimeout(180_000);
  const { now, log, task } = await writeBusyDay(hub);
  expect((await hub.mcp.newest(1))[0]!.seq).toBeGreaterThanOrEqual(10_000);
  await pictures(page, { now, log, task }, 'busy');
});

test.describe('Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('pictures of a day of delegations in Chinese', async ({ hub, page }) => {
    const demo = await writeDemo(hub);
    await writePalace(hub);
    for (const [word, path] of Object.entries({ ...demo, agents: '/agents', diary: '/diary?agent=win-codex-atlas', palace: '/palace', tokens: '/tokens' })) {
      await page.setViewportSize(DESK);
      await open(page, path);
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await looks(page, `${word}-chinese`);
    }
    await page.goto('about:blank');
    await page.context().clearCookies();
    await open(page, '/sign-in');
    await looks(page, 'sign-in-chinese');
  });
});

test.describe('signed out', () => {
  test.use({ signedIn: false });

  test('pictures of the sign-in', async ({ page }) => {
    await open(page, '/sign-in?error=invalid');
    await looks(page, 'sign-in');
  });
});
