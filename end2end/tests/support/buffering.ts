// A web server in front of the hub, as teams have one: it speaks HTTP on both sides, keeps every answer until it is whole unless the hub
// asks it not to, and may answer the next request of a kind with an error page of its own.
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

const ERROR_PAGE = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** The proxy. */
export class BufferingProxy {
  /** What was asked, as method and target. */
  readonly asked: string[] = [];
  private failing: RegExp | undefined;
  private target = 0;

  private constructor(private readonly server: Server) {}

  /** Opens a proxy on a loopback port; where it leads is said later. */
  static async open(): Promise<BufferingProxy> {
    const server = createServer();
    const proxy = new BufferingProxy(server);
    server.on('request', (request, answer) => proxy.serve(request, answer));
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

  /** Answers the next request whose method and target match with an error page, once. */
  failOnce(what: RegExp): void {
    this.failing = what;
  }

  /** Whether the error page was sent. */
  get hasFailed(): boolean {
    return this.failing === undefined;
  }

  /** Closes the proxy and everything through it. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(request: IncomingMessage, answer: ServerResponse): void {
    const what = `${request.method} ${request.url}`;
    this.asked.push(what);
    if (this.failing?.test(what)) {
      this.failing = undefined;
      request.resume();
      answer.writeHead(502, { 'content-type': 'text/html', 'content-length': ERROR_PAGE.length }).end(ERROR_PAGE);
      return;
    }
    const headers = { ...request.headers, 'x-forwarded-for': '192.0.2.44', 'x-forwarded-proto': 'http' };
    const hub = ask({ host: '127.0.0.1', port: this.target, method: request.method, path: request.url, headers });
    hub.on('error', () => answer.destroy());
    answer.on('close', () => hub.destroy());
    hub.on('response', (got) => {
      if (got.headers['x-accel-buffering'] === 'no') {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        answer.flushHeaders();
        got.pipe(answer);
        return;
      }
      const parts: Buffer[] = [];
      got.on('data', (part: Buffer) => parts.push(part));
      got.on('end', () => answer.writeHead(got.statusCode ?? 502, got.headers).end(Buffer.concat(parts)));
      got.on('error', () => answer.destroy());
    });
    request.pipe(hub);
  }
}
