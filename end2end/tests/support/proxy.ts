// A proxy between browser and hub that can be told to misbehave the way real ones do. Only what concerns the live stream is touched:
// pages and questions pass.
import { createServer, connect, type Server, type Socket } from 'node:net';

/** How the proxy treats live streams. */
export type Manner =
  /** Passes everything. */
  | 'pass'
  /** Passes the head of the answer and keeps its body, as a buffering proxy does. */
  | 'hold-body'
  /** Passes nothing more, and does not close either: a cable that was pulled. */
  | 'stall'
  /** Answers with its own error page. */
  | 'bad-gateway';

const ERROR_PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>';
const BAD_GATEWAY = `HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: ${ERROR_PAGE.length}\r\nConnection: close\r\n\r\n${ERROR_PAGE}`;

/** A TCP proxy on a loopback port. */
export class Proxy {
  private manner: Manner = 'pass';
  private readonly streams = new Set<Socket>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {}

  /** Opens a proxy; where it leads is said later. */
  static async open(): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server, 0);
    server.on('connection', (client) => proxy.serve(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** `http://127.0.0.1:port` of the proxy. */
  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Leads to a hub. */
  lead(to: string): void {
    this.target = Number(new URL(to).port);
  }

  /** Behaves otherwise from now on. Streams that are open are cut by an error page, and stalled by a stall. */
  behave(manner: Manner): void {
    this.manner = manner;
    if (manner === 'bad-gateway' || manner === 'pass') this.streams.forEach((stream) => stream.destroy());
  }

  /** Closes the proxy and everything through it. */
  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(client: Socket): void {
    const hub = connect(this.target, '127.0.0.1');
    for (const socket of [client, hub]) {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => [client, hub].forEach((s) => s.destroy()));
    }
    let isStream = false;
    let headPassed = false;
    client.on('data', (chunk) => {
      isStream = chunk.toString('latin1').startsWith('GET /logstream/stream');
      headPassed = false;
      if (isStream) {
        this.streams.add(client);
        client.on('close', () => this.streams.delete(client));
        if (this.manner === 'bad-gateway') {
          client.end(BAD_GATEWAY);
          return;
        }
      }
      hub.write(chunk);
    });
    hub.on('data', (chunk) => {
      if (!isStream || this.manner === 'pass') {
        client.write(chunk);
      } else if (this.manner === 'hold-body' && !headPassed) {
        headPassed = true;
        const end = chunk.indexOf('\r\n\r\n');
        client.write(chunk.subarray(0, end + 4));
      }
    });
    client.on('end', () => hub.end());
    hub.on('end', () => client.end());
    client.on('close', () => hub.destroy());
  }
}
