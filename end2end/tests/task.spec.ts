// The page of a task: three views of the same events, what is missing said in words, a line that applies after a check, and what people
// write from it.
import { readFile } from 'node:fs/promises';

import { expect, test } from './support/fixtures.ts';
import { live, open, state, steps } from './support/pages.ts';
import { PATCH, sha256 } from './support/samples.ts';

/** The ids of the events that a page shows as steps, in its order. */
async function order(page: import('@playwright/test').Page): Promise<(string | null)[]> {
  const hrefs = await steps(page).locator('a[href^="/event?id="]').evaluateAll((links) => links.map((a) => a.getAttribute('href')));
  return hrefs;
}

test('compact, lanes and full show the same events in the same order', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await hub.mcp.ack(task, 'win:codex', 'claimed', 'Taking it.\nSecond line.');
  await hub.mcp.ack(task, 'lab:cursor', 'claimed');
  await open(page, `/task?id=${task.correlation_id}`);
  const lanes = await order(page);
  expect(lanes).toHaveLength(3);
  await expect(page.locator('svg.lanes').first()).toBeVisible();
  await page.getByRole('link', { name: 'compact', exact: true }).click();
  await expect(page.locator('.task-view.compact')).toBeVisible();
  await expect(page.locator('svg.lanes')).toHaveCount(0);
  expect(await order(page)).toEqual(lanes);
  await page.getByRole('link', { name: 'full', exact: true }).click();
  await expect(steps(page).nth(1)).toContainText('Second line.');
  expect(await order(page)).toEqual(lanes);
  await live(page);
  await hub.mcp.ack(task, 'win:codex', 'blocked', 'First.\nThe whole reason.');
  await expect(steps(page).nth(3), 'the full view is live too').toContainText('The whole reason.');
});

test('what is missing is said, and who is waited for was seen or not', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await open(page, `/task?id=${task.correlation_id}`);
  const notes = page.getByRole('list', { name: 'What to know about this task' });
  await expect(notes).toContainText('Waiting for win:codex, who has written nothing on this hub');
  await expect(notes).toContainText('Next would be a claim.');
  await hub.mcp.append({ type: 'status', from_agent: 'win:codex', body: 'Off for today.', metadata: { watch: 'idle' } });
  await page.reload();
  await expect(notes).toContainText(/win:codex, who was last seen 20\d\d-.* and has declared itself idle/);
  await hub.mcp.ack(task, 'mac:claude', 'applied');
  await page.reload();
  await expect(notes).toContainText('Nobody claimed it before the result came.');
  await expect(notes).toContainText('No artifact is referenced');
});

test('what is overdue is marked where it is waited for', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await hub.mcp.append({ type: 'event.ack', status: 'claimed', from_agent: 'win:codex', correlation_id: task.correlation_id!, metadata: { expires_at: '2020-01-01T00:00:00Z' } });
  await open(page, `/task?id=${task.correlation_id}`);
  await expect(state(page)).toHaveText('claimed, expired');
  await expect(page.locator('svg.lanes').first().locator('.pending.late')).toContainText(/so far · expired/);
});

test('the line that applies checks the hash first', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  const { artifact } = await hub.mcp.submit(task, PATCH);
  await open(page, `/task?id=${task.correlation_id}`);
  const line = page.locator(`#apply-${artifact.id}`);
  await expect(line).toHaveText(`loggia artifact get ${artifact.id} | sha256sum | grep -q ^${sha256(PATCH)} && loggia artifact get ${artifact.id} | git apply --3way`);
});

test('the report is a Markdown file', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Draw the map' });
  await open(page, `/task?id=${task.correlation_id}`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Report' }).click()]);
  expect(download.suggestedFilename()).toBe(`task-${task.correlation_id}.md`);
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain(`# Delegation \`${task.correlation_id}\``);
  expect(text).toContain('Draw the map');
});

test('a person answers, is refused with the text kept, and is marked', async ({ faults, hub, page }) => {
  faults.expect(/status of 422 .*\/task\?/);
  const task = await hub.mcp.createTask();
  await open(page, `/task?id=${task.correlation_id}`);
  await page.getByText('Answer as a person').click();
  const name = page.getByLabel('Your name');
  await expect(name).toHaveValue('bootstrap');
  await name.fill('Ana');
  await page.getByLabel('What it is').selectOption('blocked');
  // Only the hub refuses this: a browser's own rules know nothing of it.
  await page.getByLabel('For whom').fill('\u0007');
  await page.getByLabel('Text').fill('</textarea><b>Wait</b> & see');
  await page.getByRole('button', { name: 'Write to the log' }).click();
  await expect(page.getByRole('alert')).toContainText('Nothing was written');
  await expect(page.getByLabel('Text')).toHaveValue('</textarea><b>Wait</b> & see');
  await expect(name).toHaveValue('Ana');
  await page.getByLabel('For whom').fill('win:codex');
  await page.getByRole('button', { name: 'Write to the log' }).click();
  await expect(state(page)).toHaveText('blocked');
  await expect(steps(page).last()).toContainText('human:Ana');
  await expect(steps(page).last().locator('.mark', { hasText: 'person' })).toBeVisible();
  await expect(steps(page).last().locator('.agent.person')).toBeVisible();
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('a person asks for work and answers it', async ({ faults, hub, page }) => {
    faults.expect(/status of 422 .*\/task\/new/);
    await page.goto('/task/new');
    await page.getByLabel('Your name').fill('Ana');
    await page.getByLabel('For whom').fill('win:codex');
    await page.getByLabel('Project').fill('atlas');
    await page.getByLabel('Branch').fill('main');
    await page.getByLabel('Base commit').fill('not a commit');
    await page.getByLabel('Goal').fill('Draw the map');
    await page.getByLabel('It is done when').fill('It is drawn.');
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await expect(page.getByRole('alert')).toContainText('must be a hexadecimal Git object id');
    await expect(page.getByLabel('Goal')).toHaveValue('Draw the map');
    await page.getByLabel('Base commit').fill('2668053');
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Draw the map');
    await expect(state(page)).toHaveText('open');
    await page.getByText('Answer as a person').click();
    await page.getByLabel('Text').fill('One more thing.');
    await page.getByRole('button', { name: 'Write to the log' }).click();
    await expect(steps(page)).toHaveCount(2);
    await expect(steps(page).last()).toContainText('One more thing.');
    expect((await hub.mcp.newest(1))[0]!.type).toBe('task.reply');
  });
});
