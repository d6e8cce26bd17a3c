// A hub in a local network: an address of this machine that is not loopback, plain http. Browsers offer less there (no hashes, no
// clipboard, no locks), and pages must not notice. Where the machine has no such address, a name that is not loopback stands for it.
import { networkInterfaces } from 'node:os';

import { expect, PLAIN_HOST, test as base } from './support/fixtures.ts';
import { freePort, Hub } from './support/hub.ts';
import { hydrated, live, open, row, state, steps } from './support/pages.ts';
import { PATCH, sha256 } from './support/samples.ts';

const OWN = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find((one) => one.family === 'IPv4' && !one.internal)?.address;

const test = base.extend({
  hub: async ({}, use) => {
    const port = await freePort();
    const address = OWN ?? PLAIN_HOST;
    const hub = await Hub.start({ port, args: ['--host', OWN ?? '127.0.0.1', '--public-url', `http://${address}:${port}`] });
    await use(hub);
    await hub.dispose();
  },
  baseURL: async ({ hub }, use) => use(`http://${OWN ?? PLAIN_HOST}:${new URL(hub.url).port}`),
  signedIn: false,
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('a person signs in, reads, asks for work and answers', async ({ context, hub, page }) => {
      await page.goto('/log');
      await expect(page).toHaveURL(/\/sign-in\?next=/);
      await page.getByLabel('Token').fill(hub.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL(/\/log$/);
      expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Lax', secure: false }]);

      await page.goto('/task/new');
      for (const [label, text] of Object.entries({
        'Your name': 'Ana',
        'For whom': 'win:codex',
        Project: 'atlas',
        Branch: 'main',
        'Base commit': '2668053',
        Goal: 'Draw the map',
        'It is done when': 'It is drawn.',
      })) {
        await page.getByLabel(label).fill(text);
      }
      await page.getByRole('button', { name: 'Ask for it' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Draw the map');
      await page.getByText('Answer as a person').click();
      await page.getByLabel('Text').fill('One more thing.');
      await page.getByRole('button', { name: 'Write to the log' }).click();
      await expect(steps(page).last()).toContainText('One more thing.');
    });
  });
}

test('what needs a secure context elsewhere works without one', async ({ hub, page }) => {
  await page.goto('/sign-in');
  await page.getByLabel('Token').fill(hub.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await hydrated(page);
  expect(await page.evaluate(() => [isSecureContext, typeof crypto.subtle, typeof navigator.clipboard])).toEqual([false, 'undefined', 'undefined']);

  const task = await hub.mcp.createTask();
  const { artifact } = await hub.mcp.submit(task, PATCH);
  await open(page, `/artifact?id=${artifact.id}`);
  await expect(page.getByText('Verified in this page')).toBeVisible();
  await expect(page.locator('.verify code').nth(1)).toHaveAttribute('title', sha256(PATCH));
  await page.getByRole('button', { name: 'Copy id' }).click();
  await expect(page.getByRole('button', { name: /^(Copied|Selected: press Ctrl\+C)$/ })).toBeVisible();
  expect(await page.evaluate(() => String(getSelection()))).toBe(artifact.id);

  await open(page, '/log');
  await live(page);
  await hub.mcp.append({ body: 'as it happens' });
  await expect(row(page, 'as it happens')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: /^Find/ }).fill('atlas');
  await expect(page.getByRole('dialog')).toContainText('project/atlas');
  await page.keyboard.press('Escape');
  await open(page, `/task?id=${task.correlation_id}`);
  await live(page);
  await hub.mcp.ack(task, 'mac:claude', 'applied');
  await expect(state(page)).toHaveText('applied');
});

base('whoever comes by a name that the hub does not know reads which one, and the setting', async ({ faults, hub, page }) => {
  faults.expect(/status of 403/);
  // Not even a style sheet is given away by that name.
  faults.expect(/Refused to apply style/);
  const address = `http://${PLAIN_HOST}:${new URL(hub.url).port}`;
  const answer = await page.goto(`${address}/log`);
  expect(answer?.status()).toBe(403);
  await expect(page.locator('body')).toContainText('--public-url');
  await expect(page.locator('body')).toContainText(address);
  await expect(page.locator('script, form')).toHaveCount(0);
});
