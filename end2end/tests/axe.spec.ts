// What axe-core finds wrong for those who see, hear or point differently: nothing serious on any page, light and dark, in both languages.
import axe from 'axe-core';
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { writePalace } from './support/memory.ts';
import { open } from './support/pages.ts';
import { writeDemo } from './support/palaces.ts';

test.use({ trace: 'off' });

/** The serious findings on a page, each with the first places where it was found. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the page's policy lets no foreign script in.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, at: nodes.slice(0, 4).map((node) => node.html.slice(0, 160)) }));
  });
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, help, at }) => `${id}: ${help}\n  ${at.join('\n  ')}`);
}

for (const locale of ['en-US', 'zh-CN']) {
  test.describe(locale, () => {
    test.use({ locale });

    test('axe finds nothing serious', async ({ faults, hub, page }) => {
      test.setTimeout(240_000);
      faults.expect(/status of 404 .*(unknown|nowhere)/);
      const demo = await writeDemo(hub);
      await writePalace(hub);
      const [request] = await hub.mcp.newest(1, { type: 'task.request' });
      const pages: Record<string, string> = {
        ...demo,
        peek: `/log?peek=${request!.id}`,
        searched: '/log?q=index',
        full: `${demo.task}&view=full`,
        past: `/?at=${request!.id}`,
        created: '/task/new',
        agents: '/agents',
        agent: `/agent?id=${encodeURIComponent(request!.to_agent ?? request!.from_agent)}`,
        diaries: '/diary',
        diary: '/diary?agent=win-codex-atlas',
        palace: '/palace',
        room: '/palace?wing=atlas&room=retry',
        facts: '/palace?facts=1',
        sessions: '/sessions',
        hub: '/hub',
        tokens: '/tokens',
        audit: '/audit',
        missing: '/event?id=unknown',
        nowhere: '/nowhere',
      };
      for (const [word, path] of Object.entries(pages)) {
        await open(page, path);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect.soft(await findings(page), `${word}, ${colorScheme}`).toEqual([]);
        }
      }
    });

    test.describe('signed out', () => {
      test.use({ signedIn: false });

      test('axe finds nothing serious at the door', async ({ page }) => {
        await open(page, '/sign-in?error=invalid');
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          expect.soft(await findings(page), colorScheme).toEqual([]);
        }
      });
    });
  });
}
