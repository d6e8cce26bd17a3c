// The smallest MCP client that can append: one POST per call, no handshake, since the hub is stateless.

/** An event as the hub answers it. */
export interface Event {
  id: string;
  seq: number;
  type: string;
  stream: string;
  room: string;
  from_agent: string;
  to_agent: string | null;
  correlation_id: string | null;
  status: string | null;
  artifact_ids: string[];
  body: string;
  created_at: string;
}

/** A stored text without its content. */
export interface ArtifactRecord {
  id: string;
  kind: string;
  sha256: string;
  size_bytes: number;
}

/** The fields of an append; what is left out gets a plain value. */
export interface Draft {
  type?: string;
  stream?: string;
  room?: string;
  from_agent?: string;
  to_agent?: string;
  topic?: string;
  correlation_id?: string;
  branch?: string;
  status?: string;
  body?: string;
  artifact_ids?: string[];
  metadata?: Record<string, unknown>;
}

/** An agent. */
export class Mcp {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Calls a tool by its name without the prefix; a refusal is an error. */
  async call<T>(tool: string, args: Record<string, unknown>): Promise<T> {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `mempalace_${tool}`, arguments: args } };
    const response = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}` },
      body: JSON.stringify(request),
    });
    const answer = (await response.json()) as { error?: unknown; result?: { content: { text: string }[] } };
    const text = answer.result?.content[0]?.text;
    if (text === undefined) throw new Error(`${tool}: ${JSON.stringify(answer.error)}`);
    const value = JSON.parse(text) as T & { error?: string };
    if (value.error !== undefined) throw new Error(`${tool}: ${value.error}`);
    return value;
  }

  /** Appends one event. */
  async append(draft: Draft = {}): Promise<Event> {
    const plain = { type: 'room.message', stream: 'project/atlas', room: 'talk', from_agent: 'mac:claude', body: 'a word' };
    return (await this.call<{ event: Event }>('event_append', { ...plain, ...draft })).event;
  }

  /** Appends many events, several at a time, each not before its time if it has one; the order of their arrival is the hub's. */
  async burst(count: number, draft: (at: number) => Draft, atOnce = 16, notBefore?: (at: number) => number): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count) {
        const at = next++;
        const early = notBefore ? notBefore(at) - Date.now() : 0;
        if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
        await this.append(draft(at));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /** Asks for work. */
  async createTask(task: Partial<Record<'project' | 'from_agent' | 'to_agent' | 'goal' | 'branch' | 'base_commit' | 'done', string>> = {}) {
    const plain = {
      project: 'atlas',
      from_agent: 'mac:claude',
      to_agent: 'win:codex',
      goal: 'Index events by room',
      branch: 'main',
      base_commit: '2668053',
      done: 'The room page answers in a millisecond.',
    };
    return (await this.call<{ task: Event }>('task_create', { ...plain, ...task })).task;
  }

  /** Answers an event. */
  async ack(event: Event, from_agent: string, status: string, body = ''): Promise<Event> {
    return (await this.call<{ event: Event }>('event_ack', { event_id: event.id, from_agent, status, body })).event;
  }

  /** Hands in a patch. */
  async submit(task: Event, content: string, from_agent = 'win:codex', body = 'Here it is.') {
    return this.call<{ artifact: ArtifactRecord; event: Event }>('patch_submit', {
      content,
      from_agent,
      to_agent: task.from_agent,
      stream: task.stream,
      correlation_id: task.correlation_id,
      body,
    });
  }

  /** Stores a text. */
  async put(kind: string, content: string, created_by = 'win:codex', metadata: Record<string, unknown> = {}) {
    return (await this.call<{ artifact: ArtifactRecord }>('artifact_put', { kind, content, created_by, metadata })).artifact;
  }

  /** The newest events, newest first. */
  async newest(limit = 500, filter: Record<string, unknown> = {}): Promise<Event[]> {
    return (await this.call<{ events: Event[] }>('event_list', { limit, order: 'desc', ...filter })).events;
  }
}
