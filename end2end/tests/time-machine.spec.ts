// The time machine: Now and a task as they stood when an event had arrived, with a slider and with play, and always a way back.
import type { Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { column, open, state, steps } from './support/pages.ts';

/** The bar that says that this is the past. */
const bar = (page: Page) => page.getByRole('region', { name: 'Time machine' });

test('Now goes back event by event, and returns', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  const claimed = await hub.mcp.ack(task, 'win:codex', 'claimed');
  await hub.mcp.ack(task, 'mac:claude', 'applied');
  await open(page, '/');
  await page.getByRole('link', { name: 'Time machine' }).click();
  await expect(bar(page)).toContainText('This is the past.');
  await expect(bar(page)).toContainText('event 3 of 3');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^0.delegations waited for somebody then$/);
  await bar(page).getByRole('link', { name: 'Earlier' }).click();
  await expect(page).toHaveURL(new RegExp(`at=${claimed.id}`));
  await expect(column(page, 'claimed').getByRole('link')).toContainText('Draw the map');
  await bar(page).getByRole('slider').fill('1');
  await expect(bar(page), 'letting the slider go is enough').toContainText('event 1 of 3');
  await expect(column(page, 'open').getByRole('link')).toContainText('Draw the map');
  await column(page, 'open').getByRole('link').click();
  await expect(bar(page)).toContainText('event 1 of 3');
  await expect(state(page)).toHaveText('open');
  await expect(steps(page)).toHaveCount(1);
  await bar(page).getByRole('link', { name: 'Back to live' }).click();
  await expect(state(page)).toHaveText('applied');
  await expect(bar(page)).toHaveCount(0);
});

test('a task plays from its request to its end', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await hub.mcp.ack(task, 'win:codex', 'claimed');
  await hub.mcp.ack(task, 'win:codex', 'ready');
  await open(page, `/task?id=${task.correlation_id}&at=1`);
  await expect(state(page)).toHaveText('open');
  await bar(page).getByRole('link', { name: 'Play' }).click();
  await expect(state(page)).toHaveText('claimed');
  await expect(state(page)).toHaveText('ready');
  await expect(bar(page).getByRole('link', { name: 'Play from the start' }), 'and stops there').toBeVisible();
  await hub.mcp.ack(task, 'mac:claude', 'applied');
  await expect(steps(page), 'the past does not grow').toHaveCount(3);
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('the slider is a form', async ({ hub, page }) => {
    const task = await hub.mcp.createTask();
    await hub.mcp.ack(task, 'win:codex', 'claimed');
    await page.goto(`/task?id=${task.correlation_id}&at=2`);
    await expect(state(page)).toHaveText('claimed');
    await bar(page).getByRole('slider').fill('1');
    await bar(page).getByRole('button', { name: 'Go' }).click();
    await expect(state(page)).toHaveText('open');
  });
});
