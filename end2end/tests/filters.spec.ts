// The filter of the log: in the address, in chips, in every cell, and the same for what is listed and what arrives.
import { expect, test } from './support/fixtures.ts';
import { chips, live, open, row, rows } from './support/pages.ts';

test.beforeEach(async ({ hub }) => {
  await hub.mcp.append({ type: 'status', body: 'one', from_agent: 'ci:runner', room: 'status' });
  await hub.mcp.append({ type: 'task.reply', body: 'two', from_agent: 'win:codex', status: 'blocked' });
  await hub.mcp.append({ type: 'task.reply', body: 'three', from_agent: 'mac:claude' });
  await hub.mcp.append({ type: 'status', body: 'four', from_agent: 'mac:claude', stream: 'project/loggia', room: 'status' });
});

test('a cell adds its value, the address keeps it, the way back undoes it', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  await expect(chips(page)).toHaveCount(0);
  await row(page, 'two').getByRole('link', { name: 'task.reply' }).click();
  await expect(page).toHaveURL('/log?type=task.reply');
  await expect(rows(page).locator('.c-body')).toHaveText([/three/, /two/]);
  await expect(chips(page)).toHaveText([/type task\.reply/]);

  await row(page, 'three').getByRole('link', { name: 'mac:claude' }).click();
  await expect(page).toHaveURL('/log?type=task.reply&from_agent=mac%3Aclaude');
  await expect(rows(page).locator('.c-body')).toHaveText([/three/]);

  await live(page);
  await hub.mcp.append({ type: 'status', body: 'not this one', from_agent: 'mac:claude' });
  await hub.mcp.append({ type: 'task.reply', body: 'five', from_agent: 'mac:claude' });
  await expect(rows(page).locator('.c-body')).toHaveText([/five/, /three/]);

  await page.goBack();
  await expect(chips(page)).toHaveCount(1);
  await expect(rows(page).locator('.c-body')).toHaveText([/five/, /three/, /two/]);
  await page.goBack();
  await expect(page).toHaveURL('/log');
  await expect(rows(page)).toHaveCount(6);
  await page.goForward();
  await expect(chips(page)).toHaveText([/type task\.reply/]);
  await page.reload();
  await expect(rows(page).locator('.c-body')).toHaveText([/five/, /three/, /two/]);
});

test('a chip can be turned into its opposite and taken away', async ({ hub, page }) => {
  await open(page, '/log?from_agent=mac%3Aclaude');
  await expect(rows(page).locator('.c-body')).toHaveText([/four/, /three/]);
  await chips(page).getByRole('link', { name: 'leave out' }).click();
  await expect(page).toHaveURL('/log?exclude_from_agent=mac%3Aclaude');
  await expect(chips(page)).toHaveText([/not from mac:claude/]);
  await expect(rows(page).locator('.c-body')).toHaveText([/two/, /one/]);
  await live(page);
  await hub.mcp.append({ body: 'left out', from_agent: 'mac:claude' });
  await hub.mcp.append({ body: 'let in', from_agent: 'lab:cursor' });
  await expect(rows(page).locator('.c-body')).toHaveText([/let in/, /two/, /one/]);
  await chips(page).getByRole('link', { name: 'only this' }).click();
  await expect(page).toHaveURL('/log?from_agent=mac%3Aclaude');
  await chips(page).getByRole('link', { name: 'remove from mac:claude' }).click();
  await expect(page).toHaveURL('/log');
  await expect(rows(page)).toHaveCount(6);
});

test('two values of one column are alternatives', async ({ page }) => {
  await open(page, '/log?from_agent=win%3Acodex&from_agent=ci%3Arunner');
  await expect(chips(page)).toHaveCount(2);
  await expect(rows(page).locator('.c-body')).toHaveText([/two/, /one/]);
});

test('the tree of streams and rooms leads to them', async ({ hub, page }) => {
  await open(page, '/log');
  await live(page);
  const tree = page.getByRole('navigation', { name: 'Streams and rooms' });
  await expect(tree.getByRole('link', { name: /project\/loggia/ })).toContainText('1');
  await hub.mcp.append({ stream: 'project/loggia', room: 'status', body: 'five' });
  await expect(tree.getByRole('link', { name: /project\/loggia/ }), 'counts grow with the log').toContainText('2', { timeout: 5_000 });
  await tree.getByRole('link', { name: /project\/loggia/ }).click();
  await expect(page).toHaveURL('/log?stream=project%2Floggia');
  await expect(rows(page)).toHaveCount(2);
});

test('the form keeps what was asked before', async ({ page }) => {
  await open(page, '/log?type=task.reply');
  await page.getByText('Filter', { exact: true }).click();
  await page.getByLabel('from', { exact: true }).fill('win:codex');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(chips(page)).toHaveText([/type task\.reply/, /from win:codex/]);
  await expect(rows(page).locator('.c-body')).toHaveText([/two/]);
});

test('what means nothing in an address is said and left out', async ({ page }) => {
  await open(page, '/log?status=done&colour=red&type=status');
  await expect(page.getByRole('alert')).toHaveText([/Left out of the filter: .*status='done'/, /Left out of the filter: .*colour/]);
  await expect(chips(page)).toHaveText([/type status/]);
  await expect(rows(page).locator('.c-body')).toHaveText([/four/, /one/]);
});

test.describe('on a wide screen', () => {
  // A narrower one leaves the column of streams and rooms out.
  test.use({ viewport: { width: 1600, height: 900 } });

  test('any legal name works in an address', async ({ hub, page }) => {
    for (const name of ['project/a b&c', '%2541', 'x+y=1#?', 'é漢😀"\'', '..']) {
      await hub.mcp.append({ stream: name, correlation_id: name, body: `in ${name}` });
      await open(page, '/log');
      await row(page, `in ${name}`).getByTitle(`only stream ${name}`, { exact: true }).click();
      await expect(chips(page), name).toHaveText([new RegExp(`stream ${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)]);
      await expect(rows(page), name).toHaveCount(1);
      await page.reload();
      await expect(rows(page), name).toContainText(`in ${name}`);
      await rows(page).getByRole('link', { name: 'task', exact: true }).click();
      await expect(page.locator('#task-id'), name).toHaveText(name);
    }
  });
});
