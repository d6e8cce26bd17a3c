// A hub of one's own: the built binary on a temporary palace and a free port, gone at the end. It reads the line that says where the
// hub listens instead of sleeping, and never touches the home folder of whoever runs the tests.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { keep } from './kept.ts';
import { Mcp } from './mcp.ts';

/** How long a debug hub may take to listen, in ms. */
const START_MS = 15_000;

/** What a start may be told. */
export interface Start {
  /** The port; 0 lets the system choose. */
  port?: number;
  /** Further arguments of `loggia serve`. */
  args?: string[];
  /** Further environment. */
  env?: Record<string, string>;
  /** A palace that is there already, which is left as it is; an empty one of its own otherwise. */
  palace?: string | undefined;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** A hub process and its palace. */
export class Hub {
  /** The bootstrap token, an admin's. */
  readonly token = `e2e-${randomBytes(16).toString('hex')}`;
  /** The folder above the palace, the hub's home. */
  readonly home = mkdtempSync(join(tmpdir(), 'loggia-e2e-'));
  /** The palace. */
  palace = join(this.home, 'palace');
  /** `http://127.0.0.1:port`. */
  url = '';
  /** The one-time link of the last start. */
  signInLink = '';

  private child: ChildProcess | undefined;
  private start: Start = {};

  /** Starts a hub on an empty palace. */
  static async start(start: Start = {}): Promise<Hub> {
    const hub = new Hub();
    hub.start = start;
    hub.palace = start.palace ?? hub.palace;
    await mkdir(hub.palace, { recursive: true });
    await hub.run(start.port ?? 0);
    return hub;
  }

  /** An agent that speaks to this hub. */
  get mcp(): Mcp {
    return new Mcp(this.url, this.token);
  }

  /** Ends the process at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends the process as a service manager would. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Copies the log of a hub that is stopped; what it gives puts the copy back. */
  async saveLog(): Promise<() => Promise<void>> {
    const copy = mkdtempSync(join(this.home, 'backup-'));
    const files = async () => (await readdir(this.palace)).filter((name) => name.startsWith('logstream.sqlite3'));
    for (const name of await files()) await cp(join(this.palace, name), join(copy, name));
    return async () => {
      for (const name of await files()) await rm(join(this.palace, name));
      await cp(copy, this.palace, { recursive: true });
    };
  }

  /** Starts again on the same port and palace. */
  async restart(): Promise<void> {
    await this.kill();
    await this.run(Number(new URL(this.url).port));
  }

  /** Ends the process and removes the palace. */
  async dispose(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs a command of the binary on the same palace, beside the hub or without it; gives what it writes. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(binary(), ['--palace', this.palace, ...args], { env: this.env() });
    return stdout;
  }

  private env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.home, LOGGIA_TOKEN: this.token, RUST_LOG: 'warn', ...this.start.env };
  }

  private async run(port: number): Promise<void> {
    const args = ['--palace', this.palace, 'serve', '--port', String(port), ...(this.start.args ?? [])];
    const child = spawn(binary(), args, { env: this.env(), stdio: ['ignore', 'pipe', 'pipe'] });
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    this.child = child;
    const said: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      keep('log', line);
    });
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`the hub ${why}:\n${said.join('\n')}`));
      const timer = setTimeout(() => fail('does not listen'), START_MS);
      child.once('exit', (code) => fail(`ended with ${code}`));
      child.once('error', reject);
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line);
        this.signInLink = /https?:\S+\/sign-in\?code=\S+/.exec(line)?.[0] ?? this.signInLink;
        const url = /^listening on (http:\S+)/.exec(line)?.[1];
        if (url) {
          this.url = url;
          clearTimeout(timer);
          child.removeAllListeners('exit');
          child.once('exit', () => alive.delete(child));
          resolve();
        }
      });
    });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const tooLong = setTimeout(() => child.kill('SIGKILL'), 4_000);
    await gone;
    clearTimeout(tooLong);
  }
}

/** A port that was free a moment ago, for what must know its port before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function binary(): string {
  const path = process.env.LOGGIA_BIN;
  if (!path) throw new Error('LOGGIA_BIN is not set: run `cargo xtask e2e`');
  return path;
}
