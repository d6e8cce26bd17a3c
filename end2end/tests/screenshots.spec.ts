// Pictures of every page for people to look at: `test-results/screenshots`. The only claim here is that every page opens without a
// fault; whether it is beautiful is judged by eye.
import type { BrowserContext, Page } from '@playwright/test';

import { expect, signIn, test } from './support/fixtures.ts';
import type { Hub } from './support/hub.ts';
import { hydrated, live } from './support/pages.ts';
import { busyHub, demoHub } from './support/palaces.ts';

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

/** Takes pictures of pages in light and dark on a desk, and on a phone. */
async function pictures(context: BrowserContext, hub: Hub, pages: Record<string, string>, name: string): Promise<void> {
  await signIn(context, hub);
  const page = await context.newPage();
  for (const [path, word] of Object.entries(pages).map(([word, path]) => [path, word] as const)) {
    for (const [look, colorScheme, size] of [
      ['light', 'light', DESK],
      ['dark', 'dark', DESK],
      ['phone', 'light', PHONE],
    ] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.goto(hub.url + path);
      await hydrated(page);
      if (word !== 'sign-in') await live(page);
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await picture(page, `${word}-${name}-${look}`);
    }
  }
  await page.close();
}

test('pictures of an empty hub', async ({ context, hub }) => {
  await pictures(context, hub, { now: '/', log: '/log' }, 'empty');
});

test('pictures of a day of delegations', async ({ context, faults }) => {
  faults.expect(/status of 404 .*(nowhere|unknown)/);
  const { hub, pages } = await demoHub();
  try {
    await pictures(context, hub, { ...pages, filtered: '/log?type=task.request&type=patch.ready&exclude_from_agent=ci%3Arunner', missing: '/task?id=unknown', nowhere: '/nowhere' }, 'demo');
  } finally {
    await hub.dispose();
  }
});

test('pictures of ten thousand events', async ({ context }) => {
  const { hub, pages } = await busyHub();
  try {
    expect((await hub.mcp.newest(1))[0]!.seq).toBeGreaterThanOrEqual(9_800);
    await pictures(context, hub, { now: pages.now, log: pages.log, task: pages.task }, 'busy');
  } finally {
    await hub.dispose();
  }
});

test.describe('signed out', () => {
  test.use({ signedIn: false });

  test('pictures of the sign-in', async ({ hub, page }) => {
    for (const [look, colorScheme, size] of [
      ['light', 'light', DESK],
      ['dark', 'dark', DESK],
      ['phone', 'light', PHONE],
    ] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.goto(`${hub.url}/sign-in?error=invalid`);
      await hydrated(page);
      await picture(page, `sign-in-${look}`);
    }
  });
});
