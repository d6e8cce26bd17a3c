// The proof: two agents on the official MCP SDK delegate a piece of work while a person watches three pages, none of which is ever
// loaded again.
import { createHash } from 'node:crypto';

import { Delegation } from './support/delegation.ts';
import { expect, test } from './support/fixtures.ts';
import { board, column, live, open, row, rows, state, steps, watchReloads } from './support/pages.ts';

/** A step must be on a page within this time. */
const SOON = { timeout: 2_000 };

test('a delegation between two agents appears on every page as it happens', async ({ context, hub, page: log }) => {
  const now = await context.newPage();
  await open(now, '/');
  await open(log, '/log');
  await live(now);
  await live(log);
  await expect(now.getByRole('heading', { name: 'Nothing has happened here yet' })).toBeVisible();
  await expect(rows(log)).toHaveCount(0);
  const noReloads = [watchReloads(now), watchReloads(log)];

  const agents = Delegation.start(hub);
  try {
    await agents.reached('connected');

    const requested = await agents.next('requested');
    await expect(rows(log)).toHaveCount(1, SOON);
    await expect(row(log, 'task.request')).toContainText(/open.*mac:claude.*win:codex.*retry_pauses.*delegation/, SOON);
    await expect(column(now, 'open').getByRole('link')).toContainText('Grow the pause between retries', SOON);
    await expect(now.getByRole('heading', { level: 1 })).toHaveText('No delegation needs anyone', SOON);

    const task = await context.newPage();
    await open(task, `/task?id=${requested.correlation_id}`);
    await live(task);
    await expect(state(task)).toHaveText('open');
    await expect(task.getByRole('heading', { level: 1 })).toHaveText('Grow the pause between retries');
    await expect(steps(task)).toHaveCount(1);
    noReloads.push(watchReloads(task));

    await agents.next('claimed');
    await expect(state(task)).toHaveText('claimed', SOON);
    await expect(steps(task)).toHaveCount(2, SOON);
    await expect(steps(task).last()).toContainText('Taking it. Reading the retry loop.');
    await expect(row(log, 'event.ack')).toContainText('claimed', SOON);
    await expect(column(now, 'claimed').getByRole('link')).toContainText('Grow the pause', SOON);

    const delivered = await agents.next('delivered');
    await expect(state(task)).toHaveText('ready', SOON);
    await expect(steps(task)).toHaveCount(3, SOON);
    const apply = task.getByText(`loggia artifact get ${delivered.artifact_id} | git apply --3way`);
    await expect(apply, 'the record of the artifact is asked for').toBeVisible(SOON);
    await expect(row(log, 'patch.ready')).toContainText('ready', SOON);

    const applied = await agents.next('applied');
    expect(applied.sha256).toBe(delivered.sha256);
    await expect(state(task)).toHaveText('applied', SOON);
    await expect(steps(task)).toHaveCount(4, SOON);
    await expect(task.getByRole('heading', { name: /^From request to end/ })).toBeVisible(SOON);
    await expect(rows(log)).toHaveCount(4, SOON);
    await expect(rows(log).locator('.c-type')).toHaveText(['event.ack', 'patch.ready', 'event.ack', 'task.request']);
    await expect(rows(log).locator('.c-status')).toHaveText(['applied', 'ready', 'claimed', 'open']);
    await expect(board(now).getByRole('link'), 'done is no longer on the board').toHaveCount(0, SOON);
    noReloads.forEach((held) => held());

    await task.getByRole('link', { name: /^patch/ }).click();
    await expect(task.getByText('Verified in this page')).toBeVisible();
    const [recorded, computed] = await task.locator('.verify code').all();
    await expect(recorded!).toHaveAttribute('title', applied.sha256);
    await expect(computed!).toHaveAttribute('title', applied.sha256);
    const raw = await context.request.get(`/artifacts/${delivered.artifact_id}/raw`);
    expect(createHash('sha256').update(await raw.body()).digest('hex')).toBe(applied.sha256);
  } finally {
    agents.stop();
  }
});

test('a race for one task has one winner, and the page says so at once', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await open(page, `/task?id=${task.correlation_id}`);
  await live(page);
  await hub.mcp.ack(task, 'win:codex', 'claimed');
  await hub.mcp.ack(task, 'lab:cursor', 'claimed');
  const notes = page.getByRole('list', { name: 'What to know about this task' });
  await expect(notes).toContainText(/Claimed more than once.*win:codex was first.*lab:cursor.*has not stepped back/, SOON);
  await hub.mcp.append({ type: 'task.reply', status: 'superseded', from_agent: 'lab:cursor', to_agent: 'mac:claude', stream: task.stream, room: task.room, correlation_id: task.correlation_id ?? '' });
  await expect(notes).toContainText('stepped back', SOON);
  await expect(state(page), 'the loser does not end the task').toHaveText('claimed');
});

test('what needs someone comes first, in the agent’s own words', async ({ hub, page }) => {
  await open(page, '/');
  await live(page);
  const task = await hub.mcp.createTask({ goal: 'Keep the old sync route?' });
  await hub.mcp.ack(task, 'win:codex', 'claimed');
  await hub.mcp.ack(task, 'win:codex', 'blocked', 'Needs a decision: who still calls v1?');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One delegation needs someone', SOON);
  const card = page.getByRole('region', { name: 'What needs someone' }).getByRole('article');
  await expect(card).toContainText(/blocked.*Keep the old sync route\?.*Needs a decision: who still calls v1\?.*win:codex.*mac:claude/s);
  await card.getByRole('link', { name: 'Keep the old sync route?' }).click();
  await expect(page).toHaveURL(new RegExp(`/task\\?id=${task.correlation_id}$`));
  await expect(state(page)).toHaveText('blocked');
});
