// Every page on a narrow screen, at 400 % zoom, and by keyboard alone; and what every page owes those who cannot see it.
import type { Locator, Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { open } from './support/pages.ts';
import { writeDemo, type Addresses } from './support/palaces.ts';
import { HOSTILE } from './support/samples.ts';

let pages: Addresses & Record<'filtered' | 'missing', string>;

test.use({ trace: 'off' });

test.beforeEach(async ({ faults, hub }) => {
  faults.expect(/status of 404 .*unknown/);
  pages = { ...(await writeDemo(hub)), filtered: '/log?type=task.request&type=patch.ready&exclude_from_agent=ci%3Arunner', missing: '/event?id=unknown' };
});

/** What sticks out of the screen to the right, unless it can be scrolled inside something that fits. */
async function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((e) => e.getBoundingClientRect().right > width + 1)
      .map((e) => `${e.tagName.toLowerCase()}.${e.getAttribute('class') ?? ''} ${Math.round(e.getBoundingClientRect().right)} > ${width}: ${(e.textContent ?? '').slice(0, 60)}`)
      .slice(0, 5);
  });
}

for (const [name, size] of [
  ['a phone', { width: 390, height: 844 }],
  ['a window of 1280 pixels at 400 % zoom', { width: 320, height: 256 }],
  ['a tablet', { width: 768, height: 1024 }],
  ['a small laptop', { width: 1280, height: 720 }],
] as const) {
  test(`nothing sticks out on ${name}`, async ({ page }) => {
    await page.setViewportSize(size);
    for (const [word, path] of Object.entries(pages)) {
      await open(page, path);
      expect(await overflow(page), word).toEqual([]);
    }
    // Left first: the page would open its stream without the cookie and say so in the console.
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.goto('/sign-in?error=invalid');
    expect(await overflow(page), 'sign-in').toEqual([]);
  });
}

test('long words stick out nowhere either', async ({ hub, page }) => {
  const long = 'x'.repeat(200);
  const task = await hub.mcp.createTask({ project: long, from_agent: `${long}:a`, to_agent: `${long}:b`, goal: long, branch: long, done: long });
  await hub.mcp.ack(task, `${long}:c`, 'blocked', long + HOSTILE[0].repeat(20));
  const { artifact, event } = await hub.mcp.submit(task, `diff --git a/${long} b/${long}\n--- a/${long}\n+++ b/${long}\n@@ -1 +1 @@\n-${long}\n+${long}${long}\n`, `${long}:b`, long);
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['/', '/log', `/log?from_agent=${long}%3Ab&stream=${task.stream}`, `/event?id=${event.id}`, `/task?id=${task.correlation_id}`, `/artifact?id=${artifact.id}`]) {
      await open(page, path);
      expect(await overflow(page), `${path.slice(0, 40)} at ${width}`).toEqual([]);
    }
  }
});

test('what belongs together stays on one line', async ({ page }) => {
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 860 });
    for (const [word, path] of Object.entries(pages)) {
      await open(page, path);
      const torn = await page.evaluate(() =>
        [...document.querySelectorAll('time, .agent, .status, .age')]
          .filter((e) => e.checkVisibility())
          .filter((e) => {
            const range = document.createRange();
            range.selectNodeContents(e);
            const boxes = [...range.getClientRects(), ...[...e.querySelectorAll('i')].flatMap((i) => [...i.getClientRects()])];
            const middles = boxes.filter((box) => box.width > 0).map((box) => box.top + box.height / 2);
            return Math.max(...middles) - Math.min(...middles) > 8;
          })
          .map((e) => `${e.getAttribute('class')} ${e.textContent}`),
      );
      expect.soft([...new Set(torn)], `${word} at ${width}`).toEqual([]);
    }
  }
});

test('no label of the lanes is cut off, and a phone need not scroll them', async ({ hub, page }) => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const event of (await hub.mcp.newest(500, { type: 'task.request' })).slice(0, 8)) {
      await open(page, `/task?id=${event.correlation_id}`);
      const cut = await page.locator('svg.lanes').filter({ visible: true }).evaluate((svg) => {
        const right = svg.getBoundingClientRect().right;
        return [...svg.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().right > right).map((text) => text.textContent);
      });
      expect.soft(cut, `${event.body.split('\n')[1]} at ${width}`).toEqual([]);
      if (width > 390) continue;
      const scrolled = await page.locator('.lanes-frame').evaluate((frame) => frame.scrollWidth - frame.clientWidth);
      expect.soft(scrolled, event.body.split('\n')[1]).toBeLessThanOrEqual(0);
    }
  }
});

test('a long title leaves everything of the head in its place', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Explain the exit codes of `watch` in the manual, and what a script may conclude from each of them' });
  await page.setViewportSize({ width: 1360, height: 860 });
  await open(page, `/task?id=${task.correlation_id}`);
  const top = async (locator: Locator) => (await locator.boundingBox())!.y;
  const [title, link] = [await top(page.getByRole('heading', { level: 1 })), await top(page.getByRole('link', { name: 'In the log' }))];
  expect(Math.abs(title - link)).toBeLessThan(10);
});

test('the log gives most of its width to what was said', async ({ page }) => {
  await page.setViewportSize({ width: 1360, height: 860 });
  await open(page, '/log');
  const width = await page.locator('th.c-body').evaluate((cell) => cell.getBoundingClientRect().width);
  // Rows of another day, which the demo writes shortly after midnight, need 46 pixels more for it.
  expect(width).toBeGreaterThan(270);
});

test('on a phone the streams are folded away, without and with the script', async ({ browser, context, hub, page }) => {
  const silent = await browser.newContext({ javaScriptEnabled: false, baseURL: hub.url, storageState: await context.storageState() });
  for (const tab of [page, await silent.newPage()]) {
    await tab.setViewportSize({ width: 390, height: 844 });
    await tab.goto('/log');
    const tree = tab.getByRole('navigation', { name: 'Streams and rooms' });
    await expect(tree).toHaveCount(0);
    await tab.getByRole('button', { name: 'Streams' }).click();
    await tree.getByRole('link', { name: /^demo\/loggia/ }).click();
    await expect(tab).toHaveURL('/log?stream=demo%2Floggia');
    await expect(tree, 'and again on the page that it leads to').toHaveCount(0);
  }
  await silent.close();
});

test('a row that is marked is marked whole', async ({ page }) => {
  for (const width of [1360, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await open(page, pages.event);
    const colours = await page.locator('tr.selected').evaluate((row) => [row, ...row.children].map((e) => getComputedStyle(e).backgroundColor));
    expect(colours[0], 'the row').not.toBe('rgba(0, 0, 0, 0)');
    expect(new Set(colours.slice(1)), 'its cells').toEqual(new Set(['rgba(0, 0, 0, 0)']));
  }
});

test('the keyboard reaches everything, and shows where it is', async ({ page }) => {
  for (const [word, path] of Object.entries(pages).filter(([word]) => word !== 'filtered' && word !== 'missing')) {
    await open(page, path);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await expect(skip, word).toBeFocused();
    await expect(skip, word).toBeInViewport();
    for (let at = 0; at < 20; at += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        return {
          what: `${element.tagName} ${element.getAttribute('class') ?? ''} ${(element.textContent ?? '').slice(0, 40)}`,
          ring: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none',
          seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
        };
      });
      if (focused === null) break;
      expect(focused, `${word}, stop ${at}`).toMatchObject({ ring: true, seen: true });
    }
    await open(page, path);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main'), word).toBeFocused();
  }
});

test('every page has one title, named controls, and ids that are its own', async ({ page }) => {
  for (const [word, path] of Object.entries(pages)) {
    await open(page, path);
    await expect(page, word).toHaveTitle(/.+ · Loggia$/);
    await expect(page.getByRole('heading', { level: 1 }), word).toHaveCount(1);
    await expect(page.getByRole('button', { name: 'Theme: auto' }), word).toBeVisible();
    const found = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      const name = (e: Element) => (e.getAttribute('aria-label') ?? e.textContent ?? '').trim();
      const inputs = [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), select')];
      return {
        doubled: ids.filter((id, at) => ids.indexOf(id) !== at),
        nameless: [...document.querySelectorAll('a, button, summary')].filter((e) => !name(e)).map((e) => e.outerHTML),
        unlabelled: inputs.filter((e) => !e.labels?.length && !e.getAttribute('aria-label')).map((e) => e.outerHTML),
        language: document.documentElement.lang,
      };
    });
    expect(found, word).toEqual({ doubled: [], nameless: [], unlabelled: [], language: 'en' });
  }
});

test('text is legible on what is behind it, light and dark', async ({ page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [word, path] of Object.entries(pages)) {
      await open(page, path);
      const faint = await page.evaluate(() => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
        const rgba = (colour: string) => {
          canvas.clearRect(0, 0, 1, 1);
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data] as [number, number, number, number];
        };
        const light = ([r, g, b]: number[]) => {
          const linear = [r!, g!, b!].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
        };
        const behind = (element: Element | null): number[] => {
          for (let e = element; e; e = e.parentElement) {
            const colour = rgba(getComputedStyle(e).backgroundColor);
            if (colour[3] === 255) return colour;
          }
          return [255, 255, 255, 255];
        };
        const found = new Map<string, string>();
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const element = node.parentElement!;
          if (!node.textContent!.trim() || element.closest('svg, script, .visually-hidden, .skip') || !element.checkVisibility()) continue;
          const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < 4.5) found.set(`${element.tagName}.${element.className}`, `${ratio.toFixed(2)} ${node.textContent!.trim().slice(0, 40)}`);
        }
        return Object.fromEntries(found);
      });
      expect.soft(faint, `${word}, ${colorScheme}`).toEqual({});
    }
  }
});
