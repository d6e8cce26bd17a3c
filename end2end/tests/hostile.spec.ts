// Text from agents is text: whatever is in it, on whichever page, listed or live, nothing runs and nothing leaves the page. The
// fixtures hold every page against dialogs, policy violations, exceptions and warnings of the console.
import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import { live, open, row, rows, steps } from './support/pages.ts';
import { HOSTILE, PATCH } from './support/samples.ts';

test('hostile words in every field of an event stay words, listed and live', async ({ context, hub, page }) => {
  const everywhere = (bad: string) => ({
    stream: bad,
    room: bad,
    topic: bad,
    from_agent: bad,
    to_agent: bad,
    correlation_id: bad,
    branch: bad,
    body: `body ${bad}`,
    metadata: { [bad]: bad },
  });
  const now = await context.newPage();
  const task = await context.newPage();
  const first = await hub.mcp.append(everywhere(HOSTILE[0]));
  await open(now, '/');
  await open(page, '/log');
  await open(task, `/task?id=${encodeURIComponent(HOSTILE[0])}`);
  await live(now);
  await live(page);
  await live(task);
  for (const bad of HOSTILE.slice(1)) await hub.mcp.append(everywhere(bad));
  await hub.mcp.append({ ...everywhere(HOSTILE[1]), correlation_id: HOSTILE[0] });
  await expect(rows(page)).toHaveCount(HOSTILE.length + 1);
  await expect(steps(task)).toHaveCount(2);
  await expect(rows(now).first()).toContainText('onerror');
  for (const bad of HOSTILE) await expect(row(page, `body ${bad}`).first(), bad).toBeVisible();
  await expectHarmless(page, 'log, live');
  await expectHarmless(now, 'Now, live');
  await expectHarmless(task, 'task, live');
  for (const tab of [now, page, task]) {
    await tab.reload();
    await live(tab);
    await expectHarmless(tab, `${tab.url()}, rendered by the hub`);
  }
  await expect(task.getByRole('heading', { level: 1 })).toContainText(/body|<script>/);
  await open(task, `/event?id=${first.id}`);
  await expect(task.locator('#body')).toHaveText(`body ${HOSTILE[0]}`);
  await expectHarmless(task, 'event');
});

test('hostile words in requests, reasons and names stay words', async ({ hub, page }) => {
  for (const bad of HOSTILE.slice(0, 6)) {
    const task = await hub.mcp.createTask({ project: bad, from_agent: bad, to_agent: bad, goal: bad, branch: bad, done: bad });
    await hub.mcp.ack(task, bad, 'claimed', bad);
    await hub.mcp.submit(task, PATCH.replaceAll('src/retry.rs', `src/${bad.replaceAll(' ', '')}`), bad, bad);
    await hub.mcp.ack(task, bad, 'failed', bad);
    await open(page, `/task?id=${task.correlation_id}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(bad);
    await expect(page.locator('.notes')).toContainText(`“${bad}”`);
    await expectHarmless(page, bad);
    await page.getByRole('link', { name: /^patch/ }).click();
    await expect(page.getByText('Verified in this page')).toBeVisible();
    await expectHarmless(page, `patch of ${bad}`);
  }
  await open(page, '/');
  await expect(page.getByRole('article')).toHaveCount(6);
  await expectHarmless(page, 'Now');
});

test('hostile artifacts of every kind stay text, in the page and on their own', async ({ context, hub, page }) => {
  const content = HOSTILE.join('\n') + '\n';
  for (const kind of ['patch', 'file', 'log', 'json', 'note']) {
    const artifact = await hub.mcp.put(kind, content, HOSTILE[1], { [HOSTILE[2]]: HOSTILE[3] });
    await open(page, `/artifact?id=${artifact.id}`);
    await expect(page.getByText('Verified in this page')).toBeVisible();
    await expect(page.locator('.line')).toHaveCount(HOSTILE.length);
    await expectHarmless(page, kind);
    const raw = await context.request.get(`/artifacts/${artifact.id}/raw`);
    expect(raw.headers()).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(await raw.text()).toBe(content);
  }
});

test('hostile addresses stay words', async ({ faults, page }) => {
  faults.expect(/status of 40[04]/);
  for (const bad of [HOSTILE[4], HOSTILE[9]]) {
    for (const path of ['/event?id=', '/task?id=', '/artifact?id=', '/log?stream=', '/log?status=', '/log?x=', '/log?before=', '/nowhere/', '/sign-in?error=', '/sign-in?next=']) {
      await open(page, path + encodeURIComponent(bad));
      await expectHarmless(page, `${path}${bad}`);
    }
  }
});

test('every page carries a policy that lets no inline script run', async ({ context }) => {
  for (const path of ['/', '/log', '/event?id=x', '/task?id=x', '/artifact?id=x', '/sign-in', '/nowhere']) {
    const response = await context.request.get(path, { headers: { accept: 'text/html' }, failOnStatusCode: false });
    const policy = response.headers()['content-security-policy'] ?? '';
    expect(policy, path).toContain("default-src 'none'");
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(policy, path).toMatch(/script-src 'self' 'nonce-[^']{16,}' 'wasm-unsafe-eval'/);
    expect(policy, path).not.toContain('unsafe-inline');
    expect(response.headers()['x-content-type-options'], path).toBe('nosniff');
  }
});
