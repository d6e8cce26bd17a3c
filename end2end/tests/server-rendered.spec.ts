// Every page without its script: the hub alone must give the content, and say honestly what only the script can do.
import { expect, test } from './support/fixtures.ts';
import { badge, column, firstDifference, rowIds, rows, state, steps } from './support/pages.ts';

test.use({ javaScriptEnabled: false });

test('an empty hub teaches what would be here', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing has happened here yet');
  await expect(page.getByText('loggia demo', { exact: true })).toBeVisible();
  await page.goto('/log');
  await expect(page.getByRole('main')).toContainText('To write the first event by hand');
  await expect(page.getByText(/^loggia logstream append --type/)).toBeVisible();
  await expect(page.getByText('passes this filter')).toBeHidden();
  await expect(page.getByRole('navigation', { name: 'Streams and rooms' }), 'no empty panel').toHaveCount(0);
});

test('the command of an empty hub writes the first event', async ({ hub, page }) => {
  await page.goto('/log');
  const command = (await page.getByText(/^loggia logstream append --type/).textContent())!.split(' ');
  await hub.command(...command.slice(1));
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('hello');
});

test('a filter that nothing passes is said on a hub that holds something', async ({ hub, page }) => {
  await hub.mcp.append();
  await page.goto('/log?type=nothing');
  await expect(page.getByRole('main')).toContainText('No event of the log passes this filter yet');
  await expect(page.getByText('To write the first event')).toHaveCount(0);
});

test('many problems leave the board in sight', async ({ hub, page }) => {
  for (let at = 0; at < 9; at += 1) {
    const task = await hub.mcp.createTask({ goal: `Task ${at}` });
    await hub.mcp.ack(task, 'win:codex', 'blocked', `Question ${at}`);
    const cards = page.getByRole('article').filter({ visible: true });
    if (at === 5) {
      await page.goto('/');
      await expect(cards, 'one more takes no more room than the way to it').toHaveCount(6);
    }
    if (at === 8) {
      await page.goto('/');
      await expect(cards).toHaveCount(5);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nine delegations need someone');
      await page.getByText('4 more', { exact: true }).click();
      await expect(cards).toHaveCount(9);
    }
  }
});

test('every age says of what', async ({ hub, page }) => {
  const open = await hub.mcp.createTask({ goal: 'Index events by room' });
  await page.goto('/');
  await expect(column(page, 'open').locator('.age')).toHaveText(/^asked (just now|\d+ s ago)$/);
  await hub.mcp.ack(open, 'win:codex', 'claimed');
  await page.goto('/');
  await expect(column(page, 'claimed').locator('.age')).toHaveText(/^claimed (just now|\d+ s ago)$/);
  await hub.mcp.ack(open, 'win:codex', 'failed', 'No.');
  await page.goto('/');
  await expect(page.getByRole('article').locator('.age')).toHaveText(/^last word (just now|\d+ s ago)$/);
});

test('a quote stands over the name of who said it', async ({ hub, page }) => {
  const task = await hub.mcp.createTask({ goal: 'Index events by room' });
  await hub.mcp.ack(task, 'lab:cursor', 'blocked', 'Which index?');
  await page.goto('/');
  await expect(page.getByRole('article')).toContainText('“Which index?”');
  await expect(page.getByRole('article').locator('.agents')).toHaveText('lab:cursor → mac:claude');
  await page.goto(`/task?id=${task.correlation_id}`);
  await expect(page.locator('.notes > li').first()).toHaveText('Blocked: “Which index?” — lab:cursor');
});

test('Now shows the board, the streams and the newest events', async ({ hub, page }) => {
  const claimed = await hub.mcp.createTask({ goal: 'Index events by room' });
  await hub.mcp.ack(claimed, 'win:codex', 'claimed');
  const failed = await hub.mcp.createTask({ goal: 'Port the importer' });
  await hub.mcp.ack(failed, 'win:codex', 'failed', 'Two of 214 tests fail.');
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One delegation needs someone');
  await expect(page.getByRole('article')).toContainText(/failed.*Port the importer.*Two of 214 tests fail\./s);
  await expect(column(page, 'claimed')).toContainText('Index events by room');
  await expect(page.getByRole('link', { name: 'project/atlas' }).first()).toBeVisible();
  await expect(rows(page)).toHaveCount(4);
  await expect(badge(page), 'nothing is live without the script').toHaveText('Snapshot');
  await column(page, 'claimed').getByRole('link').click();
  await expect(state(page)).toHaveText('claimed');
});

test('the log leads to what is older and back', async ({ hub, page }) => {
  await hub.mcp.burst(130, (at) => ({ body: `word ${at}` }));
  const ids = (await hub.mcp.newest(200)).map((event) => event.id);
  await page.goto('/log');
  await expect(page.getByRole('main')).toContainText('130 events');
  const newest = await rowIds(page);
  await page.getByRole('link', { name: 'Older events' }).click();
  await expect(page.getByRole('main')).toContainText('Only what arrived before');
  const older = await rowIds(page);
  expect(firstDifference([...newest, ...older], ids), 'the two parts are the log, whole and in order').toBeNull();
  await expect(page.getByRole('main')).toContainText('This is the beginning of the log.');
  await page.getByRole('link', { name: 'To the newest' }).click();
  await expect(page).toHaveURL('/log');
});

test('a form filters the log', async ({ hub, page }) => {
  await hub.mcp.append({ stream: 'project/a b&c', body: 'the one' });
  await hub.mcp.append({ body: 'another' });
  await page.goto('/log');
  await page.getByText('Filter', { exact: true }).click();
  await page.getByLabel('stream', { exact: true }).fill('project/a b&c');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('the one');
});

test('one event is shown whole, among its neighbours', async ({ hub, page }) => {
  await hub.mcp.append({ body: 'before it' });
  const long = `first line\n${'word '.repeat(300)}\nlast line`;
  const event = await hub.mcp.append({ body: long, status: 'blocked', topic: 'sync', branch: 'feat/x', metadata: { big: 9007199254740993n.toString() } });
  await hub.mcp.append({ body: 'after it' });
  await page.goto(`/event?id=${event.id}`);
  const main = page.getByRole('main');
  await expect(main.locator('#body')).toHaveText(long);
  for (const text of ['blocked', 'sync', 'feat/x', '9007199254740993', 'mac:claude', 'before it', 'after it', event.id]) {
    await expect(main).toContainText(text);
  }
  await expect(main.locator('tr[aria-current]')).toContainText('first line');
});

test('a task is told in steps', async ({ hub, page }) => {
  const task = await hub.mcp.createTask();
  await hub.mcp.ack(task, 'win:codex', 'claimed', 'Taking it.');
  const { artifact } = await hub.mcp.submit(task, 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n');
  await page.goto(`/task?id=${task.correlation_id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Index events by room');
  await expect(state(page)).toHaveText('ready');
  await expect(steps(page)).toHaveCount(3);
  await expect(page.getByRole('img', { name: /Swim lanes: 3.steps by 2.agents/ })).toBeVisible();
  await expect(page.getByText(`loggia artifact get ${artifact.id} | git apply --3way`)).toBeVisible();
  await expect(page.getByRole('main')).toContainText('The room page answers in a millisecond.');
});

test('an artifact is shown, and nobody claims to have checked it', async ({ hub, page }) => {
  const artifact = await hub.mcp.put('patch', 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old line\n+new line\n');
  await page.goto(`/artifact?id=${artifact.id}`);
  await expect(page.getByText('Not checked yet')).toBeVisible();
  await expect(page.getByText('Verified')).toHaveCount(0);
  await expect(page.locator('.diff')).toContainText('new line');
  await expect(page.getByRole('link', { name: 'Download exact bytes' })).toHaveAttribute('href', `/artifacts/${artifact.id}/raw`);
});

test('what is not there is said, with the status that says so too', async ({ faults, page }) => {
  faults.expect(/status of 404/);
  for (const [path, title] of [
    ['/event?id=evt_unknown', 'This hub has no such event'],
    ['/task?id=task_unknown', 'This hub has no such task'],
    ['/artifact?id=art_unknown', 'This hub has no such artifact'],
    ['/nowhere', 'There is no such page'],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText(title);
    await expect(page.getByRole('main'), 'once is enough').not.toContainText('not found');
    await expect(page.getByRole('banner').getByRole('button', { name: 'Sign out' }), path).toBeVisible();
    await expect(page.getByRole('banner'), path).toContainText('bootstrap');
    const id = /=(.*)/.exec(path)?.[1];
    if (id) await expect(page.getByRole('main').locator('code'), path).toHaveText(id);
  }
});

test.describe('without a session', () => {
  test.use({ signedIn: false });

  test('the page for an unknown address claims nothing about the hub', async ({ faults, page }) => {
    faults.expect(/status of 404/);
    await page.goto('/nowhere');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such page');
    await expect(badge(page)).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Sign out' })).toHaveCount(0);
  });
});
