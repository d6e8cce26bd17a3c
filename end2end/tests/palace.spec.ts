// The palace: wings, rooms, drawers and what joins them, with and without the script, and what it says while it is off.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import { open, row } from './support/pages.ts';
import { file, longEntry, writeEntry, writePalace } from './support/memory.ts';
import { HOSTILE } from './support/samples.ts';

const list = (page: Page) => page.locator('.drawers > li');
const tree = (page: Page) => page.getByRole('navigation', { name: 'Wings and rooms' });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Drawer' });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('an empty palace teaches what would be here', async ({ hub, page }) => {
      await page.goto('/palace');
      await expect(page.getByText('The palace is empty')).toBeVisible();
      await expect(tree(page)).toHaveCount(0);
      const command = (await page.getByText(/^loggia drawer add/).textContent())!;
      const words = command.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
      await hub.command(...words.slice(1));
      await page.reload();
      await expect(tree(page)).toContainText('decisions');
    });

    test('from a wing to a room to a drawer, whole beside the list', async ({ hub, page }) => {
      const text = longEntry(3_000);
      await file(hub, 'atlas', 'decisions', text);
      await file(hub, 'atlas', 'people', 'Miriam leads');
      await file(hub, 'loggia', 'decisions', 'the log comes first');
      await page.goto('/palace');
      await tree(page).getByRole('link', { name: 'atlas' }).click();
      await expect(list(page)).toHaveCount(2);
      await tree(page).getByRole('link', { name: 'decisions' }).first().click();
      await expect(page).toHaveURL('/palace?wing=atlas&room=decisions');
      await expect(list(page)).toHaveCount(1);
      await list(page).getByRole('link').click();
      expect(await panel(page).locator('.verbatim').evaluate((e) => e.textContent)).toBe(text);
      await expect(panel(page)).toContainText('mac:claude');
      await panel(page).getByRole('link', { name: 'Close' }).click();
      await expect(panel(page)).toHaveCount(0);
      await expect(list(page)).toHaveCount(1);
    });

    test('a long room is bounded and its pages are the room', async ({ hub, page }) => {
      for (let at = 0; at < 43; at += 1) await file(hub, 'w', 'r', `drawer number ${at}`);
      await page.goto('/palace?wing=w&room=r');
      const seen = new Set<string>();
      for (const count of [20, 20, 3]) {
        await expect(list(page)).toHaveCount(count);
        await expect(page.getByText(`${seen.size + 1} to ${seen.size + count} of 43`)).toBeVisible();
        for (const text of await list(page).locator('.drawer-text').allTextContents()) seen.add(text);
        if (count === 20) await page.getByRole('link', { name: 'Further' }).click();
      }
      expect(seen.size).toBe(43);
    });

    test('a search marks its words, says what it could not do, and reaches diaries', async ({ hub, page }) => {
      await file(hub, 'atlas', 'retry', 'the pool is exhausted when readers hold a cursor');
      await writeEntry(hub, 'mac:claude', 'I saw the pool exhausted again');
      await file(hub, 'atlas', 'people', 'nothing of the kind');
      await page.goto('/palace');
      await page.getByRole('combobox', { name: 'Search the palace' }).fill('pool exhausted');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL('/palace?q=pool+exhausted');
      await expect(list(page)).toHaveCount(2);
      await expect(list(page).locator('mark').first()).toHaveText('pool');
      await expect(page.getByRole('main')).toContainText('Searched by words alone, not by meaning');
      await expect(page.getByRole('main'), 'and how that is changed').toContainText('loggia model install');
      await list(page).filter({ hasText: 'cursor' }).getByRole('link').click();
      await expect(panel(page).locator('.verbatim')).toHaveText('the pool is exhausted when readers hold a cursor');
      await expect(list(page), 'the hits stay').toHaveCount(2);
      await page.getByRole('link', { name: 'End the search' }).click();
      await expect(page).toHaveURL('/palace');
      await page.goto('/palace?q=zzzz');
      await expect(page.getByText('No drawer and no diary entry answers this')).toBeVisible();
    });

    test('the whole: map, facts as bars, and what changed', async ({ hub, page }) => {
      await writePalace(hub);
      await page.goto('/palace');
      await expect(page.locator('.map .wing')).toHaveCount(6 + 2);
      await expect(page.locator('.map .joint.dug')).toHaveCount(3);
      await expect(page.locator('.map .joint.shared')).not.toHaveCount(0);
      const changes = page.locator('.changes > li');
      await expect(changes).toHaveCount(15);
      await expect(changes.first()).toContainText(/wrote a diary entry, topic general/);
      await expect(changes.first()).toContainText('lab:cursor');
      await expect(page.locator('.fact-table tbody tr')).toHaveCount(5);
      await expect(page.locator('.fact-table .past')).toHaveCount(1);
      await expect(page.locator('.fact-table .future')).toHaveCount(1);
      await expect(page.locator('.fact-table tbody tr', { hasText: 'Tom' })).toContainText('2025-06-01 to 2026-02-28, ended');
      await page.locator('.fact-table').getByRole('link', { name: 'Miriam' }).click();
      await expect(page).toHaveURL('/palace?entity=Miriam');
      await expect(page.locator('.fact-table tbody tr')).toHaveCount(1);
      await page.goto('/palace');
      await page.getByText('Tunnels in words').click();
      await expect(page.getByText('both index events by room').last()).toBeVisible();
      await page.locator('.map').getByRole('link', { name: 'log engine' }).click();
      await expect(page).toHaveURL('/palace?wing=loggia&room=log%20engine');
    });

    test('a drawer that is gone is said', async ({ page, hub }) => {
      await file(hub, 'w', 'r', 'x');
      await page.goto('/palace?wing=w&id=drawer_gone');
      await expect(panel(page)).toContainText('No such drawer');
      await expect(list(page)).toHaveCount(1);
    });

    test('hostile drawers, labels and facts stay words', async ({ hub, page }) => {
      const ids: string[] = [];
      for (const bad of HOSTILE) {
        ids.push(await file(hub, 'w', 'r', bad, bad));
        const value = bad.slice(0, 128);
        await hub.mcp.call('kg_add', { subject: value, predicate: 'says', object: `x${value}`.slice(0, 128) });
        await hub.mcp.call('create_tunnel', { source_wing: 'w', source_room: 'r', target_wing: 'w', target_room: 'r', label: bad });
      }
      for (const path of ['/palace', '/palace?facts=1', '/palace?wing=w', '/palace?wing=w&from=18446744073709551615']) {
        await page.goto(path);
        await expectHarmless(page, path, NEVER);
      }
      for (const [at, bad] of HOSTILE.entries()) {
        const word = encodeURIComponent(bad);
        await page.goto(`/palace?wing=w&id=${encodeURIComponent(ids[at]!)}`);
        await expect(panel(page).locator('.verbatim'), bad).toHaveText(bad);
        await expectHarmless(page, bad, NEVER);
        for (const path of [`/palace?q=${word}`, `/palace?entity=${word}`, `/palace?wing=${word}&room=${word}&id=${word}`]) {
          await page.goto(path);
          await expectHarmless(page, path, NEVER);
        }
      }
    });
  });
}

/** What a page of the memory has none of, so that only a text could bring it. */
const NEVER = 'script, form[method=post]';

test('a palace that is off says why, and coordination goes on', async ({ faults, hub, page }) => {
  faults.expect(/status of 503/);
  await hub.stop();
  await writeFile(join(hub.palace, 'palace.sqlite3'), 'this is no database at all, '.repeat(100));
  for (const name of ['palace.sqlite3-wal', 'palace.sqlite3-shm']) await writeFile(join(hub.palace, name), '');
  await hub.restart();
  for (const [path, title] of [
    ['/palace', 'The palace is off'],
    ['/diary', 'The palace is off'],
    ['/diary?agent=mac%3Aclaude', 'The palace is off'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText(title);
    await expect(page.getByRole('main'), path).toContainText('not a database');
  }
  await page.screenshot({ path: 'test-results/screenshots/palace-off.png' });
  await hub.mcp.append({ body: 'still here' });
  await page.getByRole('main').getByRole('link', { name: 'Log' }).click();
  await expect(row(page, 'still here')).toBeVisible();
});

test.describe('pictures', () => {
  test('of the memory, empty and busy, in light, dark and on a phone', async ({ hub, page }) => {
    test.setTimeout(120_000);
    const take = async (pages: Record<string, string>, name: string) => {
      for (const [word, path] of Object.entries(pages)) {
        for (const [look, colorScheme, width, height] of [
          ['light', 'light', 1360, 860],
          ['dark', 'dark', 1360, 860],
          ['phone', 'light', 390, 844],
        ] as const) {
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme });
          await open(page, path);
          expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${word} ${look} fits`).toBe(true);
          await page.screenshot({ path: `test-results/screenshots/${word}-${name}-${look}.png`, fullPage: true });
          // As wide as a window of 1280 is to somebody who reads at 400 %.
          await page.setViewportSize({ width: 320, height: 640 });
          expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${word} fits at 400 %`).toBe(true);
        }
      }
    };
    await take({ diaries: '/diary', diary: '/diary?agent=nobody', palace: '/palace' }, 'empty');
    await writePalace(hub);
    const id = await file(hub, 'atlas', 'decisions', longEntry(1_200));
    await take(
      {
        diaries: '/diary',
        diary: '/diary?agent=win%3Acodex%3Aatlas',
        'diary-long': '/diary?agent=mac%3Aclaude',
        palace: '/palace',
        room: '/palace?wing=atlas&room=index',
        drawer: `/palace?wing=atlas&id=${encodeURIComponent(id)}`,
        found: '/palace?q=pool%20exhausted',
        facts: '/palace?facts=1',
      },
      'busy',
    );
  });
});
