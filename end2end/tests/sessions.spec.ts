// Session memory: what is live stands there with the time that it has, one session opens, what is written appears, and all of it is text.
import { expect, test } from './support/fixtures.ts';
import type { Hub } from './support/hub.ts';
import { expectHarmless } from './support/harmless.ts';
import { open } from './support/pages.ts';
import { HOSTILE } from './support/samples.ts';

/** Writes into a session. */
async function say(hub: Hub, agent_id: string, session_id: string, content: string, more: object = {}): Promise<void> {
  const answer = await fetch(`${hub.url}/v1/mems/write`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id, session_id, messages: [{ role: 'user', content }], ...more }),
  });
  expect(answer.status).toBe(200);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('live sessions stand there and one opens', async ({ hub, page }) => {
      await page.goto('/sessions');
      await expect(page.getByRole('main')).toContainText('No session is live');
      await expect(page.getByRole('main')).toContainText('Nothing is published');
      await say(hub, 'win:codex:atlas', 's:1 %', 'first', { active_plan: 'step one', temp_variables: { branch: 'retry' }, user_id: 'miriam' });
      await say(hub, 'mac:claude', 's2', 'hers', { ttl_seconds: 600 });
      await page.goto('/sessions');
      await expect(page.locator('.sessions tbody tr')).toHaveText([/mac:claude.*s2.*9 min \d+ s/, /win:codex:atlas.*s:1 %.*miriam.*29 min \d+ s/]);
      await page.getByRole('link', { name: 's:1 %' }).click();
      const opened = page.getByRole('region', { name: 'Session', exact: true });
      await expect(opened).toContainText('step one');
      await expect(opened).toContainText('retry');
      await expect(opened.locator('.window .verbatim')).toHaveText(['first']);
      await page.getByRole('link', { name: 'Close' }).click();
      await expect(opened).toHaveCount(0);
      await page.goto('/sessions?agent=nobody');
      await expect(page.getByRole('main')).toContainText('No session of this agent is live');
    });
  });
}

test('what is written appears and the time runs', async ({ hub, page }) => {
  await say(hub, 'mac:claude', 's', 'one', { ttl_seconds: 50 });
  await open(page, '/sessions');
  const left = page.locator('.left-words').first();
  const before = await left.textContent();
  await say(hub, 'lab:cursor', 's', 'two');
  await expect(page.locator('.sessions tbody tr')).toHaveCount(2);
  await expect(page.locator('.sessions tbody tr').last().locator('.left-words')).not.toHaveText(before ?? '');
});

test('whatever agents keep in mind is shown as text', async ({ hub, page }) => {
  for (const [at, text] of HOSTILE.entries()) await say(hub, `a${at}`, text.slice(0, 200) || 's', text, { active_plan: text, temp_variables: { [text]: text } });
  await open(page, '/sessions');
  for (const link of await page.locator('.sessions tbody a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))) {
    await page.goto(link);
    await expectHarmless(page, link);
  }
});
