// The two agents of `agents/delegation.py` as a child process that goes on when it is told to.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Hub } from './hub.ts';

/** What the script says about a step. */
export interface Step {
  step: string;
  correlation_id: string;
  event_id: string;
  artifact_id: string;
  sha256: string;
}

/** The script, running. */
export class Delegation {
  private readonly lines: AsyncIterator<string>;
  private readonly errors: string[] = [];

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    createInterface({ input: child.stderr }).on('line', (line) => this.errors.push(line));
  }

  /** Starts the script; it connects and waits. */
  static start(hub: Hub): Delegation {
    const env = { PATH: process.env.PATH, HOME: hub.home, LOGGIA_URL: hub.url, LOGGIA_TOKEN: hub.token };
    return new Delegation(spawn(python(), [agent('delegation.py')], { env }));
  }

  /** Waits for a step of this name. */
  async reached(name: string): Promise<Step> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the agents ended before the step ${name}:\n${this.errors.join('\n')}`);
    const step = JSON.parse(value) as Step;
    if (step.step !== name) throw new Error(`expected the step ${name}, got ${value}`);
    return step;
  }

  /** Lets the agents take their next step and waits until the hub has acknowledged it. */
  async next(name: string): Promise<Step> {
    this.child.stdin.write('\n');
    return this.reached(name);
  }

  /** Ends the script, wherever it is. */
  stop(): void {
    this.child.kill();
  }
}

/** The Python that has the packages of `requirements.txt`. */
export function python(): string {
  return process.env.LOGGIA_PYTHON ?? 'python3';
}

/** The path of a script. */
export function agent(name: string): string {
  return join(import.meta.dirname, '../../agents', name);
}
