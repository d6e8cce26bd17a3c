// The language of the pages: what the browser asks for, the switch that is stronger, with the script and without; and that in Chinese
// no English is left but names and what agents wrote.
import { hostname } from 'node:os';

import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { writeEntry, file } from './support/memory.ts';
import { badge, open } from './support/pages.ts';
import { PATCH } from './support/samples.ts';

/** What is the same in every language: names, units, formats, keys, commands. */
const KEPT = new Set(
  'Definition Delivery Close diary wing_mac_claude_ ok replicate LOGGIA_TOKEN bootstrap open claimed ready applied blocked failed superseded Loggia UTC ms kB MB GB TB WAL NDJSON JSON Markdown MemPalace Redis English CR sha git apply id ids read write admin sync memory token Enter Esc Ctrl Now Log Claude Code Codex Cursor curl shell win codex loggia true mempalace_kg_add'
    .split(' ')
    .map((word) => word.toLowerCase()),
);

/** Words of Latin letters that are seen or read out on a page, but for commands and whatever stands in a `code`. */
async function latinWords(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement!.closest('script, style, noscript, code, pre, kbd, time, .mono, [translate=no]')) found.push(node.textContent ?? '');
    }
    for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (element.matches('code, time, .mono')) continue;
      for (const name of ['aria-label', 'title', 'placeholder']) found.push(element.getAttribute(name) ?? '');
    }
    found.push(document.title);
    return found;
  });
  return texts.flatMap((text) => text.replace(/\b((ses|evt|art|rep)_\w+|[0-9a-f]{8})\b/g, '').match(/[A-Za-z_]{2,}/g) ?? []);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled, locale: 'zh-CN' });

    const go = async (page: Page, path: string) => (javaScriptEnabled ? open(page, path) : void (await page.goto(path)));

    test('the browser asks for a language, and the switch is stronger', async ({ hub, page }) => {
      await hub.mcp.append({ body: '你好' });
      await go(page, '/log?type=status');
      await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('日志');
      await expect(page).toHaveTitle('日志 · Loggia');
      await page.getByRole('button', { name: 'English' }).click();
      await expect(page.locator('html')).toHaveAttribute('lang', 'en');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Log');
      expect(new URL(page.url()).pathname + new URL(page.url()).search, 'the same page').toBe('/log?type=status');
      await go(page, '/palace');
      await expect(page.getByRole('heading', { level: 1 }), 'it is remembered').toHaveText('Palace');
      await page.getByRole('button', { name: '中文' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('宫殿');
    });

    test('the sign-in has the language of the browser, and the switch', async ({ page }) => {
      await page.goto('about:blank');
      await page.context().clearCookies();
      await go(page, '/sign-in?error=invalid');
      await expect(page.getByRole('button', { name: '登录' })).toBeVisible();
      await expect(page.getByRole('alert')).toContainText('枢纽不认识此令牌');
      await page.getByRole('button', { name: 'English' }).click();
      await expect(page.getByRole('alert')).toContainText('does not know this token');
    });

    test('no English is left on the pages but names and what agents wrote', async ({ faults, hub, page }) => {
      test.setTimeout(120_000);
      faults.expect(/status of 404 .*(unknown|nowhere)/);
      const task = await hub.mcp.createTask({ goal: '按房间为事件建立索引', to_agent: 'win:codex', done: '测试通过' });
      const claim = await hub.mcp.ack(task, 'win:codex', 'claimed', '由我来做');
      const { artifact, event } = await hub.mcp.submit(task, PATCH, claim.from_agent);
      const stuck = await hub.mcp.createTask({ goal: '移植导入程序', to_agent: 'mac:claude' });
      await hub.mcp.ack(stuck, 'mac:claude', 'blocked', '谁还在用这条路由?');
      await writeEntry(hub, 'mac:claude', '今天学到了很多。', '心得');
      await file(hub, 'atlas', '决定', '重试之间的停顿加倍');
      const id = encodeURIComponent;
      const pages: Record<string, string> = {
        now: '/',
        log: '/log',
        filtered: '/log?status=claimed&exclude_from_agent=mac%3Aclaude',
        searched: `/log?q=${id('索引')}`,
        peek: `/log?peek=${event.id}`,
        event: `/event?id=${id(event.id)}`,
        task: `/task?id=${id(task.correlation_id!)}`,
        full: `/task?id=${id(task.correlation_id!)}&view=full`,
        blocked: `/task?id=${id(stuck.correlation_id!)}`,
        past: `/?at=${event.id}`,
        created: '/task/new',
        artifact: `/artifact?id=${id(artifact.id)}`,
        agents: '/agents',
        agent: `/agent?id=${id('mac:claude')}`,
        diaries: '/diary',
        diary: `/diary?agent=${id('mac:claude')}`,
        palace: '/palace',
        room: `/palace?wing=atlas&room=${id('决定')}`,
        facts: '/palace?facts=1',
        sessions: '/sessions',
        hub: '/hub',
        tokens: '/tokens',
        audit: '/audit',
        missing: '/event?id=unknown',
        nowhere: '/nowhere',
      };
      // Whatever the log holds is data: names, types, statuses; and a hub has its machine's name.
      const data = JSON.stringify([await hub.mcp.newest(50), task, stuck, event, artifact]) + PATCH + hostname();
      const known = new Set((data.match(/[A-Za-z_]{2,}/g) ?? []).map((word) => word.toLowerCase()));
      for (const [word, path] of Object.entries(pages)) {
        await go(page, path);
        const left = (await latinWords(page)).filter((text) => !KEPT.has(text.toLowerCase()) && !known.has(text.toLowerCase()));
        expect.soft([...new Set(left)], word).toEqual([]);
      }
    });
  });
}

test.describe('English', () => {
  test.use({ locale: 'de-DE' });

  test('whoever asks for neither language gets English, and the browser goes on in it', async ({ page }) => {
    await open(page, '/');
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
    await expect(badge(page)).toHaveText('Live');
  });
});

test.describe('Chinese in the browser', () => {
  test.use({ locale: 'zh-CN' });

  test('what the script says later is Chinese too', async ({ hub, page }) => {
    await open(page, '/');
    await expect(badge(page)).toHaveText('实时');
    const task = await hub.mcp.createTask({ goal: '新的委派' });
    await hub.mcp.ack(task, 'win:codex', 'blocked', '为什么?');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('有一个委派需要处理');
    await page.getByRole('button', { name: /主题/ }).click();
    await expect(page.getByRole('button', { name: /主题/ })).toHaveText('主题：浅色');
  });
});
