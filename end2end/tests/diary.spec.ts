// Diaries: entries come back whole and are text, AAAK stands in words beside itself, what is written appears, and all of it reads the
// same without the script.
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import { live, open, watchReloads } from './support/pages.ts';
import { AAAK, longEntry, writeEntry } from './support/memory.ts';
import { HOSTILE } from './support/samples.ts';

const entries = (page: Page) => page.locator('article.entry');
const diaryOf = (agent: string) => `/diary?agent=${encodeURIComponent(agent)}`;

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('entries of any length come back exactly', async ({ hub, page }) => {
      for (const text of [longEntry(100_000), longEntry(5_000), longEntry(801), '\n\nbegins and ends with lines\n\n', '  blanks  ']) {
        await writeEntry(hub, 'mac:claude', text);
        await page.goto(diaryOf('mac:claude'));
        expect(await entries(page).first().locator('.verbatim').evaluate((e) => e.textContent)).toBe(text);
      }
    });

    test('the list leads to a diary, newest first, a topic narrows it', async ({ hub, page }) => {
      await page.goto('/diary');
      await expect(page.getByRole('main')).toContainText('Nobody has written a diary entry yet');
      for (const [at, topic] of ['lesson', 'session', 'lesson'].entries()) await writeEntry(hub, 'Win:Codex:Atlas', `entry ${at}`, topic);
      await writeEntry(hub, 'mac:claude', 'hers');
      await page.goto('/diary');
      await expect(page.locator('.plain-table tbody tr')).toHaveText([/mac:claude.*1/, /Win:Codex:Atlas.*3/]);
      await page.getByRole('link', { name: 'Win:Codex:Atlas' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Diary of Win:Codex:Atlas');
      await expect(entries(page).locator('.verbatim')).toHaveText(['entry 2', 'entry 1', 'entry 0']);
      await expect(page.locator('.day-name')).toHaveText([/^Today · \w+day, \d+ \w+ \d{4}$/]);
      await expect(page.getByRole('main')).toContainText('local time');
      await expect(page.getByRole('main')).toContainText('This hub only');
      await page.getByRole('link', { name: 'lesson 2' }).click();
      await expect(page).toHaveURL('/diary?agent=win%3Acodex%3Aatlas&topic=lesson');
      await expect(entries(page).locator('.verbatim')).toHaveText(['entry 2', 'entry 0']);
      await page.getByRole('link', { name: 'all topics' }).click();
      await expect(entries(page)).toHaveCount(3);
    });

    test('the pages of a long diary are the diary', async ({ hub, page }) => {
      for (let at = 0; at < 45; at += 1) await writeEntry(hub, 'mac:claude', `entry ${at}`);
      await page.goto(diaryOf('mac:claude'));
      const seen: string[] = [];
      for (const count of [20, 20, 5]) {
        await expect(entries(page)).toHaveCount(count);
        await expect(entries(page).first().locator('.verbatim')).toHaveText(`entry ${44 - seen.length}`);
        seen.push(...(await entries(page).locator('.verbatim').allTextContents()));
        if (count === 20) await page.getByRole('link', { name: 'Older entries' }).click();
      }
      expect(seen).toEqual(Array.from({ length: 45 }, (_, at) => `entry ${44 - at}`));
      await expect(page.getByText('This is the first entry.')).toBeVisible();
      await page.getByRole('link', { name: 'Newer entries' }).click();
      await expect(entries(page).first().locator('.verbatim')).toHaveText('entry 24');
    });

    test('AAAK stands in words beside itself, prose alone', async ({ hub, page }) => {
      await writeEntry(hub, 'mac:claude', AAAK);
      await writeEntry(hub, 'mac:claude', 'Only prose. It has a | and a dot.between words.');
      await page.goto(diaryOf('mac:claude'));
      const [prose, aaak] = [entries(page).first(), entries(page).last()];
      await expect(prose.locator('.aaak')).toHaveCount(0);
      await expect(aaak.locator('.verbatim')).toHaveText(AAAK);
      await expect(aaak.locator('.aaak li')).toHaveText([
        'SESSION 2026-05-04',
        'MIR + TOM',
        'fixed queue stall + wrote 3 tests',
        'retry only after the ack',
        'DECISION',
        'determ + relief',
        '→ ship on friday',
        '★★★★★',
      ]);
      await expect(aaak.getByRole('img', { name: 'weight 3 of 5' })).toBeVisible();
    });

    test('names that probably mean one agent are offered and can be read together', async ({ hub, page }) => {
      await writeEntry(hub, 'win-codex-atlas', 'before');
      await writeEntry(hub, 'win:codex:atlas', 'after');
      await writeEntry(hub, 'win:codex', 'somebody else');
      await page.goto(diaryOf('win:codex:atlas'));
      const aliases = page.getByRole('region', { name: 'Probable aliases' });
      await expect(aliases.getByRole('listitem')).toHaveText(['win-codex-atlas 1 entry']);
      await expect(entries(page).locator('.verbatim')).toHaveText(['after']);
      await aliases.getByRole('link', { name: 'Show together' }).click();
      await expect(entries(page).locator('.verbatim')).toHaveText(['after', 'before']);
      await expect(entries(page).last().locator('header')).toContainText('win-codex-atlas');
      await page.goto(diaryOf('Win/Codex/Atlas'));
      await expect(page.getByText('Nobody has written under this name on this hub.')).toBeVisible();
      await expect(aliases.getByRole('listitem')).toHaveCount(2);
    });

    test('hostile entries, names and topics stay words', async ({ hub, page }) => {
      for (const bad of HOSTILE) {
        const agent = bad.slice(0, 128);
        await writeEntry(hub, agent, bad);
        await writeEntry(hub, agent, `SESSION:${bad}|${bad}|"${bad}"|★`);
        await page.goto(diaryOf(agent));
        await expect(entries(page).last().locator('.verbatim'), bad).toHaveText(bad);
        await expect(page.getByRole('heading', { level: 1 })).toContainText(agent);
        expect(await page.title(), 'the title is text too').toContain(agent.trim());
        await expectHarmless(page, bad, NEVER);
        await page.goto(`/diary?agent=x&topic=${encodeURIComponent(bad)}&from=${encodeURIComponent(bad)}`);
        await expectHarmless(page, bad, NEVER);
      }
      await page.goto('/diary');
      await expect(page.locator('.plain-table tbody tr')).toHaveCount(new Set(HOSTILE.map((bad) => bad.slice(0, 128).toLowerCase())).size);
      await expectHarmless(page, 'the list', NEVER);
    });
  });
}

/** What a page of the memory has none of, so that only a text could bring it. */
const NEVER = 'script, button, form[method=post]';

test('what is written appears by itself, by whichever process', async ({ hub, page }) => {
  await writeEntry(hub, 'mac:claude', 'the first');
  await open(page, diaryOf('mac:claude'));
  await live(page);
  const noReload = watchReloads(page);
  await writeEntry(hub, 'mac:claude', 'the second');
  await expect(entries(page).locator('.verbatim')).toHaveText(['the second', 'the first']);
  await hub.command('diary', 'write', '--agent', 'mac:claude', '--entry', 'from the command line');
  await expect(entries(page).locator('.verbatim')).toHaveText(['from the command line', 'the second', 'the first']);
  await writeEntry(hub, 'mac:claude', HOSTILE[1]);
  await expect(entries(page).first().locator('.verbatim')).toHaveText(HOSTILE[1]);
  await expectHarmless(page, 'live', NEVER);
  noReload();
});

test('a list of diaries shows who begins one', async ({ hub, page }) => {
  await open(page, '/diary');
  await writeEntry(hub, 'lab:cursor', 'hello');
  await expect(page.getByRole('link', { name: 'lab:cursor' })).toBeVisible();
});

test('nothing moves under a reader: text that is selected stays, and is followed later', async ({ hub, page }) => {
  await writeEntry(hub, 'mac:claude', 'a word to select');
  await open(page, diaryOf('mac:claude'));
  await live(page);
  await page.getByText('a word to select').selectText();
  const asked = () => page.waitForRequest((request) => request.url().endsWith('/api/ask') && (request.postData() ?? '').includes('/diary'), { timeout: 3_800 });
  await writeEntry(hub, 'mac:claude', 'meanwhile');
  await expect(asked(), 'not asked while text is selected').rejects.toThrow(/Timeout/);
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await expect(entries(page)).toHaveCount(2);
});

test('a diary that does not change is asked for, and nothing is sent', async ({ hub, page }) => {
  await writeEntry(hub, 'mac:claude', longEntry(50_000));
  await open(page, diaryOf('mac:claude'));
  const response = await page.waitForResponse((response) => response.url().endsWith('/api/ask') && (response.request().postData() ?? '').includes('/diary'));
  expect((await response.body()).length).toBeLessThan(300);
});

test('following links inside of diaries loads no page anew', async ({ hub, page }) => {
  await writeEntry(hub, 'mac:claude', 'an entry', 'lesson');
  await writeEntry(hub, 'mac:claude', 'another', 'session');
  await open(page, '/diary');
  const noReload = watchReloads(page);
  await page.getByRole('link', { name: 'mac:claude' }).click();
  await page.getByRole('link', { name: 'lesson 1' }).click();
  await expect(entries(page)).toHaveCount(1);
  await page.goBack();
  await expect(entries(page)).toHaveCount(2);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Log', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Log');
  noReload();
});

test('a token without the scope for memory is told so', async ({ context, faults, hub, page }) => {
  faults.expect(/status of 403/);
  await writeEntry(hub, 'mac:claude', 'a secret thought');
  const secret = (await hub.command('token', 'create', '--name', 'reader', '--scope', 'read')).match(/lg_\S+/)![0];
  await context.clearCookies();
  await context.request.post('/sign-in', { form: { token: secret, next: '/' } });
  for (const path of [diaryOf('mac:claude'), '/palace', '/palace?q=thought']) {
    expect((await page.goto(path))?.status(), path).toBe(403);
    await expect(page.getByRole('main'), path).toContainText('lacks the scope `memory`');
    await expect(page.getByRole('main'), path).not.toContainText('thought');
  }
});
