// What must never happen in a page: an error or a warning in its console (a hydration mismatch is one), an uncaught exception, a
// violation of the content security policy, a dialog. Collected from every page of a context and held against the test at its end.
import type { BrowserContext } from '@playwright/test';

/** What is collected, and what a test expects on purpose. */
export class Faults {
  private readonly found: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Says that a message is part of the test, for example the refused connections to a hub that was killed. */
  expect(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  /** What nobody expected. */
  unexpected(): string[] {
    return this.found.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
  }

  /** Listens to a context, from before its first page on. */
  async watch(context: BrowserContext): Promise<void> {
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.found.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    context.on('weberror', (error) => this.found.push(`uncaught: ${error.error().stack ?? error.error().message}`));
    context.on('dialog', (dialog) => {
      this.found.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy violation: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }
}

/** What the browser itself writes while a hub is away. */
export const HUB_AWAY = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_NETWORK_IO_SUSPENDED/;
