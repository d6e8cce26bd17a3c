// What agents wrote is shown and copied exactly: numbers that no browser can hold, what a terminal would obey, words that were searched.
import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import { live, open, row } from './support/pages.ts';
import { HOSTILE } from './support/samples.ts';

/** Appends metadata that is not written as this language would write it. */
async function appendRaw(url: string, token: string, metadata: string): Promise<string> {
  const args = `{"type":"x.note","stream":"project/atlas","room":"talk","from_agent":"lab:cursor","body":"numbers","metadata":${metadata}}`;
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mempalace_event_append","arguments":${args}}}`,
  });
  return /evt_[0-9A-Za-z_]+/.exec(await answer.text())![0];
}

test('big numbers keep every digit on the page, in what is copied, and when they come over the stream', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const numbers = ['9007199254740993', '18446744073709551616', '1.0', '0.30000000000000004', '-0.0'];
  await open(page, '/log');
  await live(page);
  const id = await appendRaw(hub.url, hub.token, `{"all":[${numbers.join(',')}]}`);
  await row(page, 'numbers').locator('.to-event').click();
  const peek = page.getByRole('complementary', { name: 'The chosen event' });
  await expect(peek).toContainText('numbers');
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toHaveCount(1);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const number of numbers) expect(copied).toContain(number);
  await open(page, `/event?id=${id}`);
  for (const number of numbers) await expect(page.locator('#metadata')).toContainText(number);
});

test('what a terminal would obey is written out, and copied as it is', async ({ context, hub, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const body = 'plain \u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 10%\r20%\r\nend\u0008';
  const event = await hub.mcp.append({ body });
  await open(page, '/log');
  await live(page);
  const shown = await row(page, 'plain').textContent();
  // eslint-disable-next-line no-control-regex
  expect(shown).not.toMatch(/[\u0000-\u0008\u001b]/);
  await open(page, `/event?id=${event.id}`);
  // eslint-disable-next-line no-control-regex
  expect(await page.locator('#body').textContent()).not.toMatch(/[\u0000-\u0008\u001b]/);
  await expect(page.locator('#body a')).toHaveCount(0);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await expect(page.getByRole('button', { name: 'Copied' })).toHaveCount(1);
});

test('a hit in hostile words is marked and stays words', async ({ hub, page }) => {
  for (const bad of HOSTILE) await hub.mcp.append({ body: `needle ${bad} needle` });
  await open(page, '/log?q=needle');
  await expect(page.locator('table.events mark').first()).toHaveText('needle');
  await expect(row(page, 'needle')).toHaveCount(HOSTILE.length);
  await expectHarmless(page, 'search');
  await live(page);
  await hub.mcp.append({ body: `needle ${HOSTILE[1]} live needle` });
  await expect(row(page, 'live needle')).toBeVisible();
  await expectHarmless(page, 'search, live');
  await open(page, `/log?q=${encodeURIComponent(HOSTILE[1])}`);
  await expectHarmless(page, 'searched for');
});
