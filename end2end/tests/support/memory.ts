// What agents remember, written before the pages of it are looked at.
import type { Hub } from './hub.ts';

/** An AAAK entry with every kind of part. */
export const AAAK =
  'SESSION:2026-05-04|MIR+TOM|fixed.queue.stall+wrote.3.tests|"retry only after the ack"|DECISION|determ+relief|→:ship.on.friday|★★★';

/** Prose with code fences, emoji of several code points, and letters of every script. */
export function longEntry(chars: number): string {
  const block =
    '\n# 重试之间的停顿加倍 — naïve 👩\u200d🔧 ❤\ufe0f 🏳\ufe0f\u200d🌈\n\n```rust\nfn pause(n: u32) -> u64 {\n\t100 << n.min(6) // a|b|c & <b>\n}\n```\n\n| a | b |\n|---|---|\n  two blanks  \n';
  const points = [...block.repeat(Math.ceil(chars / [...block].length) + 1)].slice(0, chars);
  return points.join('');
}

/** Writes a diary entry. */
export async function writeEntry(hub: Hub, agent_name: string, entry: string, topic = 'general'): Promise<string> {
  return (await hub.mcp.call<{ entry_id: string }>('diary_write', { agent_name, entry, topic })).entry_id;
}

/** Files a drawer. */
export async function file(hub: Hub, wing: string, room: string, content: string, added_by = 'mac:claude'): Promise<string> {
  return (await hub.mcp.call<{ drawer_id: string }>('add_drawer', { wing, room, content, added_by })).drawer_id;
}

/** A palace of some weeks: four wings, tunnels, facts and diaries. */
export async function writePalace(hub: Hub): Promise<void> {
  const rooms: Record<string, string[]> = {
    atlas: ['decisions', 'retry', 'index', 'people', 'release notes'],
    loggia: ['decisions', 'log engine', 'pages', 'retry'],
    miriam: ['preferences', 'people'],
    '数据库': ['索引', 'decisions'],
  };
  for (const [wing, names] of Object.entries(rooms)) {
    for (const [at, room] of names.entries()) {
      for (let n = 0; n <= at * 2; n += 1) {
        await file(hub, wing, room, `${wing} ${room} ${n}: the pool is exhausted when ${n + 2} readers hold a cursor, so the pause between two tries doubles up to a second. 重试之间的停顿加倍`, ['mac:claude', 'win:codex:atlas'][n % 2]);
      }
    }
  }
  const dig = (source_wing: string, source_room: string, target_wing: string, target_room: string, label: string) =>
    hub.mcp.call('create_tunnel', { source_wing, source_room, target_wing, target_room, label });
  await dig('atlas', 'index', 'loggia', 'log engine', 'both index events by room');
  await dig('miriam', 'people', 'atlas', 'people', 'Miriam leads Atlas');
  await dig('loggia', 'pages', '数据库', '索引', 'pages that need the index');
  const fact = (subject: string, predicate: string, object: string, valid_from?: string, valid_to?: string) =>
    hub.mcp.call('kg_add', { subject, predicate, object, valid_from: valid_from ?? null, valid_to: valid_to ?? null });
  await fact('Miriam', 'leads', 'Atlas', '2026-03-01');
  await fact('Tom', 'leads', 'Atlas', '2025-06-01', '2026-02-28');
  await fact('Atlas', 'written_in', 'Rust');
  await fact('Atlas', 'ships', 'version 2', '2027-02-01', '2027-03-01');
  await hub.mcp.call('kg_supersede', { subject: 'Atlas', predicate: 'retries', old_object: 'three times', new_object: 'with a pause that doubles', at: '2026-05-04' });
  await writeEntry(hub, 'win-codex-atlas', 'An older name of the same agent.');
  await writeEntry(hub, 'Win:Codex:Atlas', AAAK, 'session');
  await writeEntry(hub, 'Win:Codex:Atlas', 'Retries are only safe after the acknowledgement. The test that was flaky waited for a clock; it waits for the line in the log now.', 'lesson');
  await writeEntry(hub, 'Win:Codex:Atlas', `CHECKPOINT:2026-05-05|PROJ:atlas|index.by_room.done|ARC:doubt->relief|TECHNICAL|★★\nnext: ask MIR about the release notes`, 'session');
  await writeEntry(hub, 'mac:claude', longEntry(2_400), 'lesson');
  await writeEntry(hub, 'lab:cursor', 'First day here.');
}
