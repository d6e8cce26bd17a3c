// Tokens on their page: one is made, copied, used and ended, and its secret is on one answer alone. With the script and without.
import { expect, test } from './support/fixtures.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('a token is made, used, rotated and revoked, and its secret is never shown again', async ({ hub, page, request }) => {
      const uses = async (secret: string) => {
        const headers = { authorization: `Bearer ${secret}` };
        const data = { jsonrpc: '2.0', id: 1, method: 'ping' };
        return (await request.post(`${hub.url}/mcp`, { headers, data })).status();
      };
      await page.goto('/tokens');
      if (javaScriptEnabled) await expect(page.locator('html')).toHaveAttribute('data-hydrated');
      await page.getByLabel('Name', { exact: true }).fill('mac <b>:claude');
      await page.getByLabel('Writes only as').fill('mac:claude\nmac:codex');
      await page.getByLabel('Only in the streams').fill('project/*');
      await page.getByLabel('Ends').fill('30d');
      await page.getByRole('button', { name: 'Make token' }).click();

      const made = page.getByRole('status').filter({ hasText: 'shown this once' });
      const secret = await made.locator('#secret').innerText();
      expect(secret).toMatch(/^lg_[0-9a-f]{64}$/);
      expect((await page.content()).split(secret).length, 'once on its page').toBe(2);
      expect(page.url(), 'and in no address').toBe(`${hub.url}/tokens`);
      for (const name of ['Claude Code', 'Codex', 'Cursor', 'curl']) {
        await expect(made.locator('details').filter({ has: page.getByText(name, { exact: false }) }).first()).toContainText('LOGGIA_TOKEN');
      }
      expect(await uses(secret)).toBe(200);

      const row = page.getByRole('row').filter({ hasText: 'mac <b>:claude' }).first();
      await expect(row).toContainText('active');
      await page.goto('/tokens');
      await expect(row).toContainText('writes as mac:claude, mac:codex');
      await expect(row).toContainText('only in project/*');
      await expect(row).not.toContainText('Last usednever');

      await row.getByText('Change').click();
      await row.getByRole('button', { name: 'Rotate' }).click();
      const next = await page.locator('#secret').innerText();
      expect(next).not.toBe(secret);
      expect([await uses(secret), await uses(next)], 'both work for a day').toEqual([200, 200]);

      await page.goto('/tokens');
      for (const state of ['active', 'replaced']) {
        const one = page.getByRole('row').filter({ hasText: 'mac <b>:claude' }).filter({ hasText: state }).first();
        await one.getByText('Change').click();
        await one.getByRole('button', { name: 'Revoke now' }).click();
        await expect(page).toHaveURL('/tokens');
      }
      expect([await uses(secret), await uses(next)]).toEqual([401, 401]);
      for (const path of ['/tokens', '/audit', '/log', '/']) {
        await page.goto(path);
        const text = await page.content();
        expect(text.includes(secret) || text.includes(next), path).toBe(false);
      }
      await page.goto('/audit?kind=token.revoke');
      await expect(page.getByRole('row').filter({ hasText: 'mac <b>:claude' })).toHaveCount(2);
    });

    test('a form that is refused keeps what was typed and says why', async ({ faults, page }) => {
      faults.expect(/status of 400/);
      await page.goto('/tokens');
      await page.getByLabel('Name', { exact: true }).fill('mac');
      await page.getByLabel('Ends').fill('someday');
      await page.getByLabel('Writes only as').fill('mac:claude');
      await page.getByRole('button', { name: 'Make token' }).click();
      await expect(page.getByRole('alert')).toContainText("'someday' is not a length of time");
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('mac');
      await expect(page.getByLabel('Writes only as')).toHaveValue('mac:claude');
      await expect(page.getByLabel('Ends')).toHaveAttribute('aria-invalid', 'true');
      await expect(page.locator('#secret')).toHaveCount(0);
    });
  });
}

test('the secret is copied by its button', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: hub.url });
  await page.goto('/tokens');
  await page.getByLabel('Name', { exact: true }).fill('copied');
  await page.getByRole('button', { name: 'Make token' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-hydrated');
  const secret = await page.locator('#secret').innerText();
  await page.locator('.secret').getByRole('button').click();
  await expect(page.locator('.secret').getByRole('button')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
});

test('who may not manage is told why', async ({ context, faults, hub, page }) => {
  faults.expect(/status of 403/);
  const secret = (await hub.command('token', 'create', 'reader', '--scope', 'read')).trim();
  await context.clearCookies();
  await context.request.post(`${hub.url}/sign-in`, { form: { token: secret, next: '/' }, maxRedirects: 0 });
  for (const path of ['/tokens', '/audit']) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(403);
    await expect(page.getByRole('main'), path).toContainText('lacks the scope `admin`');
  }
});

test('a session is ended from the page', async ({ browser, hub, page }) => {
  const other = await browser.newContext({ baseURL: hub.url });
  await other.request.post('/sign-in', { form: { token: hub.token, next: '/' }, maxRedirects: 0 });
  await page.goto('/tokens');
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /End the session/ }) });
  await expect(rows).toHaveCount(2);
  await rows.filter({ hasNotText: 'this one' }).getByRole('button').click();
  await expect(rows).toHaveCount(1);
  expect((await other.request.get('/log', { maxRedirects: 0 })).status(), 'led to the sign-in').toBe(303);
  await other.close();
});
