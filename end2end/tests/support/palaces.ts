// What is written into a palace before it is looked at, and the addresses of its pages.
import type { Hub } from './hub.ts';
import type { Event } from './mcp.ts';

/** The addresses of every page, by name. */
export type Addresses = Record<'now' | 'log' | 'event' | 'task' | 'artifact', string>;

/** Writes the day of invented delegations of `loggia demo`. */
export async function writeDemo(hub: Hub): Promise<Addresses> {
  await hub.command('demo');
  const events = await hub.mcp.newest();
  const withPatch = events.find((event) => event.type === 'patch.ready');
  if (!withPatch) throw new Error('the demo holds no patch');
  return addresses(withPatch);
}

/** Writes ten thousand events of twelve agents in forty rooms, a hundred delegations among them. */
export async function writeBusyDay(hub: Hub): Promise<Addresses> {
  const agents = Array.from({ length: 12 }, (_, at) => `${['mac', 'win', 'lab', 'ci'][at % 4]}:${['claude', 'codex', 'cursor'][at % 3]}`);
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;
  const types = ['status', 'room.message', 'task.reply', 'note.progress'];
  await hub.mcp.burst(
    9_800,
    (at) => ({
      type: pick(types, at * 7),
      stream: `project/${pick(['atlas', 'loggia', 'palace', 'shared_agent_brain', 'a-project-with-quite-a-long-name'], at * 3)}`,
      room: pick(['delegation', 'patches', 'status', 'talk', 'decisions', 'builds', 'a-room-with-a-long-name', 'reviews'], at * 5),
      from_agent: pick(agents, at),
      ...(at % 3 ? { to_agent: pick(agents, at * 11 + 1) } : {}),
      ...(at % 6 === 2 ? { status: pick(['ready', 'blocked', 'claimed'], at) } : {}),
      body: `Step ${at}: ${pick(['indexing events by room so that a page needs one query', 'tests are green', '重试之间的停顿加倍', 'waiting for a decision', 'read the ring, nothing falls out'], at)}`,
    }),
    48,
  );
  let patch: Event | undefined;
  for (let at = 0; at < 100; at += 1) {
    const task = await hub.mcp.createTask({ goal: `Delegation ${at}: ${pick(['fix the flaky retry', 'port the importer to streaming reads', 'document the scopes'], at)}`, to_agent: pick(agents, at + 1) });
    if (at % 4 === 0) continue;
    const claim = await hub.mcp.ack(task, pick(agents, at + 1), 'claimed', 'Taking it.');
    if (at % 4 === 2) patch = (await hub.mcp.submit(task, 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n', claim.from_agent)).event;
    if (at % 4 === 3) await hub.mcp.ack(task, claim.from_agent, 'blocked', 'Who still calls this route?');
  }
  return addresses(patch!);
}

function addresses(patch: Event): Addresses {
  const id = encodeURIComponent;
  return {
    now: '/',
    log: '/log',
    event: `/event?id=${id(patch.id)}`,
    task: `/task?id=${id(patch.correlation_id!)}`,
    artifact: `/artifact?id=${id(patch.artifact_ids[0]!)}`,
  };
}
