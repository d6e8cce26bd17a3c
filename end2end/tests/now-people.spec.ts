// The strip of Now: who listens, who was here, who said that it is idle; and problems that only two agents together make.
import { expect, test } from './support/fixtures.ts';
import { openStream, startWait } from './support/listeners.ts';
import { live, open, watchReloads } from './support/pages.ts';
import type { Page } from '@playwright/test';

/** Nobody writes an event when a stream opens: the strip asks every three seconds. */
const SOON = { timeout: 12_000 };

function people(page: Page) {
  return page.getByRole('region', { name: 'Who is listening' });
}

function person(page: Page, name: string) {
  return people(page).getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
}

test('an agent appears while it listens and stays as somebody who was here', async ({ hub, page }) => {
  const first = await hub.mcp.append({ from_agent: 'mac:claude' });
  await open(page, '/');
  await live(page);
  const noReloads = watchReloads(page);
  await expect(person(page, 'mac:claude')).toContainText('seen just now');
  await expect(person(page, 'win:codex')).toHaveCount(0);

  const close = await openStream(hub, 'to_agent=win:codex');
  await expect(person(page, 'win:codex')).toContainText('stream, at the tip', SOON);
  await expect(person(page, 'win:codex').locator('.standing')).toHaveClass(/listening/);
  const giveUp = startWait(hub, { from_agent: 'lab:cursor', type: 'task.request', since_event_id: first.id, timeout_ms: 300_000 });
  await expect(person(page, 'lab:cursor')).toContainText('waits for task.request, at the tip', SOON);

  close();
  giveUp();
  await expect(person(page, 'win:codex')).toContainText('seen just now', SOON);
  await expect(person(page, 'lab:cursor')).toContainText('seen just now', SOON);
  await expect(person(page, 'win:codex').locator('.standing')).toHaveClass(/active/);
  noReloads();
});

test('what an agent declared stands beside its name', async ({ hub, page }) => {
  await hub.mcp.append();
  await open(page, '/');
  await live(page);
  await hub.mcp.append({ type: 'status', from_agent: 'ci:runner', body: '<b>lunch</b>', metadata: { watch: 'idle' } });
  await expect(person(page, 'ci:runner')).toContainText('declared idle just now', SOON);
  // Events are dated to the second: what has the announcement's own date is not after it.
  const declared = Math.floor(Date.now() / 1000);
  await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(declared);
  await hub.mcp.append({ from_agent: 'ci:runner' });
  await expect(person(page, 'ci:runner')).toContainText('seen just now, declared idle', SOON);
  const figure = page.getByRole('img', { name: /^3.events in 24 hours/ });
  await expect(figure).toBeVisible();
});

test('two claims need somebody until one steps back', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  await hub.mcp.ack(task, 'win:codex', 'claimed');
  await hub.mcp.ack(task, 'lab:cursor', 'claimed');
  await open(page, '/');
  await live(page);
  const problem = page.getByRole('article');
  await expect(problem).toContainText('claimed, claimed twice');
  await expect(problem).toContainText('win:codex was first; lab:cursor claimed too and may still be at work.');
  await hub.mcp.ack(task, 'lab:cursor', 'superseded', 'I step back.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No delegation needs anyone');
});

test('a question needs somebody until it is answered', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  const correlation_id = task.correlation_id!;
  await hub.mcp.append({ type: 'task.question', from_agent: 'win:codex', correlation_id, body: 'Which projection?' });
  await open(page, '/');
  await live(page);
  await expect(page.getByRole('article')).toContainText('Which projection?');
  await hub.mcp.append({ type: 'task.reply', from_agent: 'mac:claude', correlation_id, body: 'Any.' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No delegation needs anyone');
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('agents that keep each other awake are named within seconds', async ({ hub, page }) => {
      const ring = page.getByText('A ring of replies:').locator('..');
      if (javaScriptEnabled) {
        await hub.mcp.append({ body: 'before' });
        await open(page, '/');
        await live(page);
      }
      for (let at = 0; at < 12; at += 1) {
        await hub.mcp.append({ type: 'task.reply', from_agent: ['mac:claude', 'win:codex', 'lab:cursor'][at % 3]!, to_agent: '*', body: `watching ${at}` });
      }
      if (!javaScriptEnabled) await page.goto('/');
      await expect(ring).toContainText(/lab:cursor.*mac:claude.*win:codex.*12.replies within \d+ s/, SOON);
      await ring.getByRole('link', { name: 'Show the log' }).click();
      await expect(page.locator('.events tbody tr')).toHaveCount(12);
    });
  });
}

test('tasks that look alike are told apart', async ({ hub, page }) => {
  await hub.mcp.createTask({ goal: 'Draw the map', branch: 'map/one' });
  await hub.mcp.createTask({ goal: 'Draw the map', branch: 'map/two' });
  await hub.mcp.createTask({ goal: 'Something else', branch: 'other' });
  await open(page, '/');
  const board = page.locator('.board');
  await expect(board.getByRole('link').filter({ hasText: 'map/one' })).toHaveCount(1);
  await expect(board.getByRole('link').filter({ hasText: 'map/two' })).toHaveCount(1);
  await expect(board).not.toContainText('other');
});

test('on a phone the strip stays within the page', async ({ hub, page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await hub.mcp.append({ from_agent: 'an-agent-with-a-name:that-is-really:quite-long-for-a-phone-and-has-no-blank' });
  await open(page, '/');
  await expect(people(page).getByRole('listitem')).toHaveCount(1);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
