// The palace searched by meaning with the real model, and what a search says without one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { file } from './support/memory.ts';

/** Shares no word with the question, and its meaning. */
const BREAD = 'we bake rye loaves on sundays, with a sourdough that is older than the oven';
const QUESTION = '/palace?q=loaf+recipe';

const list = (page: Page) => page.locator('.drawers > li');

/** The model's archive, which the set-up downloads. */
function wheel(): string {
  const folder = process.env.LOGGIA_MODEL;
  if (!folder) throw new Error('LOGGIA_MODEL is not set: run `cargo xtask e2e`');
  const name = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (!name) throw new Error(`no wheel in ${folder}: run \`cargo xtask setup\``);
  return join(folder, name);
}

test('without a model the search says so, and what to do; with one it finds what is meant', async ({ hub, page }) => {
  test.setTimeout(180_000);
  await file(hub, 'home', 'kitchen', BREAD);
  await file(hub, 'work', 'operations', 'the rollout failed because the certificate had expired over night');
  await page.goto(QUESTION);
  const main = page.getByRole('main');
  await expect(main).toContainText('Searched by words alone, not by meaning');
  await expect(main).toContainText('loggia model install FILE');
  await expect(main).toContainText('No drawer and no diary entry answers this');
  await page.screenshot({ path: 'test-results/screenshots/meaning-off.png' });

  // Beside the hub, which goes on and sees it come.
  await hub.command('model', 'install', wheel());
  await expect(async () => {
    await page.goto(QUESTION);
    await expect(list(page).first()).toContainText('rye loaves', { timeout: 2_000 });
  }).toPass({ timeout: 120_000 });
  await expect(main).not.toContainText('Searched by words alone');
  await expect(list(page).locator('mark'), 'no word of it was asked for').toHaveCount(0);
  await list(page).first().getByRole('link').click();
  await expect(page.getByRole('complementary', { name: 'Drawer' }).locator('.verbatim')).toHaveText(BREAD);
  await page.screenshot({ path: 'test-results/screenshots/meaning.png' });
});
