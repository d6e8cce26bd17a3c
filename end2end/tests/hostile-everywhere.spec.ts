// One hub that is hostile through and through, and every page that there is, in each of its forms, with the script and without: nothing
// runs, nothing leaves the page, the policy reports nothing. Which pages there are is read from the hub's own list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BrowserContext, Page } from '@playwright/test';

import { expect, test } from './support/fixtures.ts';
import { expectHarmless } from './support/harmless.ts';
import type { Hub } from './support/hub.ts';
import { file, writeEntry } from './support/memory.ts';
import { hydrated } from './support/pages.ts';
import { HOSTILE, PATCH } from './support/samples.ts';

test.setTimeout(240_000);

const q = encodeURIComponent;
const ESC = '\u001b';

/** Markdown in which every kind of link and markup tries to be one, terminal codes, and JSON, each around a bad text. */
const markdown = (bad: string) =>
  `# ${bad}\n\n[${bad}](javascript:window.__ran=1) ![${bad}](https://evil.example/x.png) <https://evil.example/>\n\n- ${bad}\n\n| ${bad} |\n|---|\n| ${bad} |\n\n> ${bad}\n\n\`${bad}\`\n\n\`\`\`${bad}\n${bad}\n\`\`\`\n\n[x]: javascript:window.__ran=1\n[x]\n`;
const ansi = (bad: string) =>
  `${ESC}[31m${bad}${ESC}[0m ${ESC}]8;;javascript:window.__ran=1${ESC}\\${bad}${ESC}]8;;${ESC}\\ ${ESC}]0;${bad}\u0007${ESC}[38;2;1;2;3m${bad}\n`;
const json = (bad: string) => JSON.stringify({ [bad]: bad, list: [bad, { [bad]: [bad] }] });

/** What is where, for the addresses of the pages. */
interface Filled {
  task: string;
  events: string[];
  artifacts: string[];
  patches: [string, string];
}

/** Puts every bad text into everything that takes a text. */
async function fill(hub: Hub): Promise<Filled> {
  const events: string[] = [];
  const artifacts: string[] = [];
  for (const bad of HOSTILE) {
    const everywhere = { stream: bad, room: bad, topic: bad, from_agent: bad, to_agent: bad, correlation_id: bad, branch: bad, metadata: { [bad]: bad } };
    events.push((await hub.mcp.append({ ...everywhere, body: markdown(bad) })).id);
    await hub.mcp.append({ ...everywhere, body: ansi(bad) });
    await hub.mcp.append({ ...everywhere, body: json(bad) });
    for (const [kind, content] of [
      ['note', markdown(bad)],
      ['log', ansi(bad)],
      ['json', json(bad)],
      ['file', bad],
    ] as const) {
      artifacts.push((await hub.mcp.put(kind, content, bad, { [bad]: bad })).id);
    }
    await writeEntry(hub, bad.slice(0, 128), markdown(bad));
    const answer = await fetch(`${hub.url}/v1/mems/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: bad, session_id: bad, user_id: bad, messages: [{ role: 'user', content: bad }], active_plan: bad, temp_variables: { [bad]: bad } }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    await hub.command('token', 'create', bad, '--scope', 'read', `--agent=${bad}`, `--stream=${bad}`);
  }
  await file(hub, 'wing', 'room', HOSTILE.join('\n'), 'mac:claude');
  for (const bad of HOSTILE) await hub.mcp.call('kg_add', { subject: bad, predicate: 'is', object: bad }).catch(() => undefined);
  const bad = HOSTILE[0];
  const task = await hub.mcp.createTask({ project: bad, from_agent: bad, to_agent: bad, goal: bad, branch: bad, done: bad });
  await hub.mcp.ack(task, bad, 'claimed', markdown(bad));
  const hostile = (at: number) => PATCH.replaceAll('src/retry.rs', `src/${HOSTILE[at]!.replaceAll(' ', '')}`).replaceAll('attempt', HOSTILE[at]!);
  const first = await hub.mcp.submit(task, hostile(1), bad, bad);
  const second = await hub.mcp.submit(task, hostile(3), bad, bad);
  return { task: task.correlation_id!, events, artifacts, patches: [first.artifact.id, second.artifact.id] };
}

/** Every form of a page: none may be missing here that the hub has. */
function addresses({ task, events, artifacts, patches }: Filled): Record<string, string[]> {
  const bads = [HOSTILE[1], HOSTILE[3], HOSTILE[10]];
  return {
    '/': ['/', `/?at=${events[3]}`, `/?agent=${q(bads[0]!)}`],
    '/log': [
      '/log',
      ...['raw', 'pretty', 'markdown'].map((as) => `/log?peek=${events[1]}&as=${as}`),
      `/log?around=${events[5]}`,
      ...bads.flatMap((bad) => [`/log?q=${q(bad)}`, `/log?stream=${q(bad)}&from_agent=${q(bad)}&topic=${q(bad)}`, `/log?peek=${q(bad)}`]),
    ],
    '/event': events.slice(0, 2).flatMap((id) => ['raw', 'pretty', 'markdown'].map((as) => `/event?id=${id}&as=${as}`)),
    '/task': [...['', '&view=lanes', '&view=full', `&at=${events[3]}`].map((more) => `/task?id=${q(task)}${more}`), ...bads.map((bad) => `/task?id=${q(bad)}`)],
    '/task/new': ['/task/new', ...bads.map((bad) => `/task/new?to=${q(bad)}&project=${q(bad)}`)],
    '/compare': [`/compare?a=${patches[0]}&b=${patches[1]}`, `/compare?a=${q(bads[0]!)}&b=${q(bads[1]!)}`],
    '/artifact': [...artifacts.slice(0, 4), ...artifacts.slice(-4), ...patches].map((id) => `/artifact?id=${id}`),
    '/agents': ['/agents'],
    '/agent': HOSTILE.slice(0, 6).map((bad) => `/agent?id=${q(bad)}`),
    '/diary': ['/diary', ...bads.map((bad) => `/diary?agent=${q(bad.slice(0, 128))}&topic=${q(bad)}`), ...bads.map((bad) => `/diary?agent=${q(bad.slice(0, 128))}`)],
    '/palace': ['/palace', `/palace?q=exhausted`, '/palace?wing=wing&room=room', ...bads.map((bad) => `/palace?q=${q(bad)}&wing=${q(bad)}&entity=${q(bad)}`)],
    '/sessions': ['/sessions', ...bads.map((bad) => `/sessions?agent=${q(bad)}&session=${q(bad)}`)],
    '/hub': ['/hub', `/hub?x=${q(bads[0]!)}`],
    '/tokens': ['/tokens'],
    '/audit': ['/audit', ...bads.map((bad) => `/audit?who=${q(bad)}&kind=${q(bad)}`)],
  };
}

/** The pages that the hub serves, by its own source. */
function pages(): string[] {
  const source = readFileSync(join(import.meta.dirname, '../../server/src/web.rs'), 'utf8');
  const list = /pub const PAGES: \[&str; \d+\] = \[([^\]]*)\]/.exec(source)?.[1];
  return [...(list ?? '').matchAll(/"([^"]+)"/g)].map((match) => match[1]!);
}

async function visit(page: Page, path: string, scripted: boolean): Promise<void> {
  const response = await page.goto(path);
  expect(response!.status(), path).not.toBe(500);
  expect(response!.headers()['content-security-policy'], path).toContain("default-src 'none'");
  if (scripted) await hydrated(page);
  // Every part that opens is opened: what is folded away may hold markup too.
  await page.locator('main').evaluate((main) => main.querySelectorAll('details').forEach((part) => (part.open = true)));
  await expectHarmless(page, path);
}

async function everywhere(context: BrowserContext, hub: Hub, scripted: boolean): Promise<void> {
  const all = addresses(await fill(hub));
  expect(Object.keys(all).sort(), 'every page of the hub is looked at').toEqual(pages().sort());
  const page = await context.newPage();
  for (const path of Object.values(all).flat()) await visit(page, path, scripted);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with the script' : 'without the script', () => {
    test.use({ javaScriptEnabled });

    test('nothing runs on any page', async ({ context, hub, faults }) => {
      // Addresses of what is not there are looked at too.
      faults.expect(/status of 40[04]/);
      await everywhere(context, hub, javaScriptEnabled);
    });
  });
}

test('files that are not pages are downloads', async ({ context, hub }) => {
  const { task } = await fill(hub);
  for (const path of [`/task/report?id=${q(task)}`, `/task/report?id=${q(HOSTILE[0])}`, '/log/export', '/log/export?format=txt', '/audit.ndjson']) {
    const response = await context.request.get(path);
    expect(response.status(), path).toBe(200);
    const headers = response.headers();
    expect(headers['content-type'], path).not.toContain('html');
    expect(headers['x-content-type-options'], path).toBe('nosniff');
    expect(headers['content-security-policy'], path).toContain("default-src 'none'");
    expect(headers['content-disposition'] ?? '', path).toMatch(/^attachment|^$/);
  }
});
