// Agents that listen: an open stream, and a call that waits.
import type { Hub } from './hub.ts';

/** An open stream of an agent; calling it closes the stream. */
export async function openStream(hub: Hub, query: string): Promise<() => void> {
  const stop = new AbortController();
  const response = await fetch(`${hub.url}/logstream/stream?${query}`, {
    headers: { authorization: `Bearer ${hub.token}` },
    signal: stop.signal,
  });
  if (!response.ok) throw new Error(`the stream was refused with ${response.status}`);
  const reader = response.body!.getReader();
  const drain = async () => {
    while (!(await reader.read()).done);
  };
  // It ends by being closed, or with its hub.
  drain().catch(() => {});
  return () => stop.abort();
}

/** A call that waits; it ends when something arrives, or when it is given up. */
export function startWait(hub: Hub, args: Record<string, unknown>): () => void {
  const stop = new AbortController();
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'mempalace_event_wait', arguments: args } };
  fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` },
    body: JSON.stringify(request),
    signal: stop.signal,
  }).catch(() => {});
  return () => stop.abort();
}
