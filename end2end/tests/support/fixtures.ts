// The test function of every spec: a hub for each test, a context that is signed in and watched for faults, a page.
import { test as base, type BrowserContext } from '@playwright/test';

import { Faults } from './faults.ts';
import { Hub, type Start } from './hub.ts';
import { keepAnswers } from './kept.ts';

export { expect } from '@playwright/test';

/** A name that resolves to this machine without being a secure context, as a hub in a local network is to a browser. */
export const PLAIN_HOST = 'hub.test';

interface Options {
  /** How the hub is started. */
  start: Start;
  /** Whether the context has a session from the beginning. */
  signedIn: boolean;
}

interface Fixtures {
  hub: Hub;
  faults: Faults;
}

export const test = base.extend<Options & Fixtures>({
  start: [{}, { option: true }],
  signedIn: [true, { option: true }],

  launchOptions: [
    async ({ launchOptions }, use) => {
      await use({ ...launchOptions, args: [...(launchOptions.args ?? []), `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`] });
    },
    { scope: 'worker' },
  ],

  hub: async ({ start }, use) => {
    const hub = await Hub.start(start);
    await use(hub);
    await hub.dispose();
  },

  baseURL: async ({ hub }, use) => use(hub.url),

  faults: async ({}, use) => {
    const faults = new Faults();
    await use(faults);
    base.expect(faults.unexpected(), 'faults in the pages').toEqual([]);
  },

  context: async ({ context, hub, faults, signedIn }, use) => {
    await faults.watch(context);
    keepAnswers(context);
    if (signedIn) await signIn(context, hub);
    await use(context);
  },
});

/** Gives a context a session, the way the sign-in form does. */
async function signIn(context: BrowserContext, hub: Hub): Promise<void> {
  const response = await context.request.post(`${hub.url}/sign-in`, { form: { token: hub.token, next: '/' }, maxRedirects: 0 });
  base.expect(response.headers()['location']).toBe('/');
}
