// The door for people: a token or the one-time link becomes a session, and nothing secret is ever in a page.
import { expect, test } from './support/fixtures.ts';
import { badge, live, open, rows } from './support/pages.ts';

test.use({ signedIn: false });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('a reader is led to the sign-in and back to where the link pointed', async ({ hub, page }) => {
      const task = await hub.mcp.append({ correlation_id: 'a/b c%41', body: 'the one' });
      const link = `/task?id=${encodeURIComponent(task.correlation_id!)}`;
      await page.goto(link);
      await expect(page).toHaveURL(/\/sign-in\?next=/);

      await page.getByLabel('Token').fill('lg_not_the_right_one_at_all');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alert')).toContainText('does not know this token');
      await expect(page, 'a wrong token is not in the address').not.toHaveURL(/lg_not/);

      await page.getByLabel('Token').fill(hub.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL(link);
      await expect(page.getByRole('main')).toContainText('the one');
    });

    test('signing out ends the session', async ({ context, hub, page }) => {
      await page.goto('/sign-in');
      await page.getByLabel('Token').fill(hub.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/');
      await page.goto('/log');
      const cookies = await context.cookies();
      expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }]);

      await page.getByRole('button', { name: 'Sign out' }).click();
      await expect(page).toHaveURL('/sign-in');
      await page.goBack();
      await expect(page, 'the page before is not shown from a cache').toHaveURL(/\/sign-in/);

      await context.addCookies(cookies);
      await page.goto('/log');
      await expect(page, 'the old cookie is worth nothing').toHaveURL(/\/sign-in/);
    });
  });
}

test('nobody is led to another site after signing in', async ({ hub, page }) => {
  for (const next of ['//evil.example/x', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel('Token').fill(hub.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page, next).toHaveURL('/');
  }
});

test('the link of the start works once', async ({ browser, hub, page, request }) => {
  await request.head(hub.signInLink);
  await page.goto(hub.signInLink);
  await expect(page, 'a preview of the link has not used it up').toHaveURL('/');
  const other = await browser.newPage();
  await other.goto(hub.signInLink);
  await expect(other.getByRole('alert')).toContainText('has been used');
  await expect(other).not.toHaveURL(/code=/);
  await other.close();
});

test('no page holds a secret', async ({ context, faults, hub, page }) => {
  faults.expect(/status of 404.*nowhere/);
  const code = new URL(hub.signInLink).searchParams.get('code')!;
  await page.goto(hub.signInLink);
  const session = (await context.cookies())[0]!.value;
  const task = await hub.mcp.createTask();
  const { artifact, event } = await hub.mcp.submit(task, 'x\n');
  const paths = ['/', '/log', `/event?id=${event.id}`, `/task?id=${task.correlation_id}`, `/artifact?id=${artifact.id}`, '/nowhere', '/sign-in'];
  for (const path of paths) {
    await open(page, path);
    const texts = { source: await (await context.request.get(path, { failOnStatusCode: false })).text(), document: await page.content() };
    for (const [where, text] of Object.entries(texts)) {
      for (const [what, secret] of Object.entries({ token: hub.token, code, session })) {
        expect(text.includes(secret), `${what} in the ${where} of ${path}`).toBe(false);
      }
    }
  }
});

test('signing out in one tab is said in the others', async ({ context, faults, hub, page }) => {
  faults.expect(/401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
  await page.goto(hub.signInLink);
  await open(page, '/log');
  await live(page);
  const other = await context.newPage();
  await open(other, '/');
  await other.getByRole('button', { name: 'Sign out' }).click();
  await expect(other).toHaveURL('/sign-in');
  await expect(badge(page)).toHaveText('Signed out', { timeout: 20_000 });
  await hub.mcp.append({ body: 'after the end of the session' });
  await page.getByRole('link', { name: 'sign in again' }).click();
  await page.getByLabel('Token').fill(hub.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL('/log');
  await expect(rows(page).first()).toContainText('after the end of the session');
});
