// The pages of the agents: everybody in a table, one agent with its inbox, its loops and what it wrote.
import { expect, test } from './support/fixtures.ts';
import { openStream } from './support/listeners.ts';
import { live, open, watchReloads } from './support/pages.ts';
import type { Page } from '@playwright/test';

const SOON = { timeout: 12_000 };
const FOLDER = 'test-results/screenshots';

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

test('whoever listens comes first, as it happens', async ({ hub, page }) => {
  await hub.mcp.append({ from_agent: 'mac:claude' });
  await open(page, '/agents');
  await live(page);
  const noReloads = watchReloads(page);
  await expect(row(page, 'mac:claude')).toContainText('active');
  const close = await openStream(hub, 'to_agent=win:codex&type=task.request');
  await expect(page.getByRole('row').nth(1)).toContainText('listening', SOON);
  await expect(page.getByRole('row').nth(1)).toContainText('stream of type=task.request to_agent=win:codex, at the tip');
  close();
  await expect(row(page, 'win:codex')).toContainText('active', SOON);
  noReloads();
});

test('an inbox is read by a reader, and nothing is lost by it', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ from_agent: 'mac:claude', to_agent: 'win:codex', goal: 'Draw the map' });
  await hub.mcp.append({ from_agent: 'mac:claude', to_agent: 'Win:Codex', body: '<img src=x onerror=alert(1)>' });
  await hub.mcp.append({ from_agent: 'win:codex', to_agent: '*', type: 'status', body: 'here', metadata: { watch: 'idle' } });
  await open(page, '/agents');
  await expect(row(page, 'win:codex')).toContainText('also spelt Win:Codex');
  await expect(row(page, 'win:codex').getByRole('cell').nth(4)).toHaveText(/2$/);
  await row(page, 'win:codex').getByRole('link', { name: 'win:codex' }).click();

  const inbox = page.getByRole('region', { name: 'Inbox' });
  await expect(inbox).toContainText('2 unread');
  await expect(inbox.getByText('new', { exact: true })).toHaveCount(2);
  await expect(inbox.getByText('<img src=x onerror=alert(1)>')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('win:codex');
  await expect(page.locator('main')).toContainText('declared idle');
  await expect(page.locator(`a[href="/task?id=${encodeURIComponent(task.correlation_id!)}"]`).first()).toBeVisible();

  await page.getByRole('button', { name: 'Mark as read' }).click();
  await expect(inbox).toContainText('all read');
  await expect(inbox.getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Mark as read' })).toHaveCount(0);
  await hub.mcp.append({ from_agent: 'mac:claude', to_agent: 'win:codex', body: 'one more' });
  await expect(inbox).toContainText('1 unread', SOON);
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('agents, an inbox and its form work', async ({ hub, page }) => {
    await hub.mcp.append({ from_agent: 'mac:claude', to_agent: 'ben & co', body: 'hello' });
    // Agents are counted a moment after they have written, and without a script the page does not follow.
    await expect(async () => {
      await page.goto('/agents');
      await expect(row(page, 'ben & co')).toBeVisible({ timeout: 100 });
    }).toPass();
    await row(page, 'ben & co').getByRole('link', { name: 'ben & co' }).click();
    await expect(page.getByRole('region', { name: 'Inbox' })).toContainText('1 unread');
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await expect(page.getByRole('region', { name: 'Inbox' })).toContainText('all read');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('ben & co');
  });

  test('an empty hub teaches what would be here', async ({ page }) => {
    await page.goto('/agents');
    await expect(page.getByRole('main')).toContainText('No agent is known yet');
  });
});

test('pictures of the agents', async ({ faults, hub, page }) => {
  faults.expect(/status of 404/);
  await hub.command('demo');
  await hub.mcp.append({ type: 'status', from_agent: 'lab:cursor', to_agent: '*', body: 'back at three', metadata: { watch: 'idle' } });
  await hub.mcp.append({ from_agent: 'Mac:Claude', to_agent: 'win:codex', body: 'Two spellings of one name.' });
  const close = await openStream(hub, 'to_agent=win:codex');
  for (const [name, path] of Object.entries({ now: '/', agents: '/agents', agent: '/agent?id=win%3Acodex', nobody: '/agent?id=nobody' })) {
    for (const [look, colorScheme, width, height] of [
      ['light', 'light', 1360, 860],
      ['dark', 'dark', 1360, 860],
      ['phone', 'light', 390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await open(page, path);
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await page.screenshot({ path: `${FOLDER}/people-${name}-${look}.png`, fullPage: true });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${name} ${look}`).toBeLessThanOrEqual(0);
    }
  }
  close();
});
