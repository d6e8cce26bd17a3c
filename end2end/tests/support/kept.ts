// What the browser tests leave behind for the check at the end of the whole gate, that no secret is in it: what hubs logged, and what they
// answered to the browser. Without `LOGGIA_TEST_LOGS`, which names the folder, nothing is kept.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BrowserContext } from '@playwright/test';

const folder = process.env.LOGGIA_TEST_LOGS;

/** Adds a text to this worker's file of a kind. */
export function keep(kind: 'log' | 'answers', text: string): void {
  if (folder) appendFileSync(join(folder, `e2e-${process.pid}-${kind}.txt`), `${text}\n`);
}

/** Keeps the pages and answers that a context gets, but for that of a form that makes a token, which shows it once. */
export function keepAnswers(context: BrowserContext): void {
  if (!folder) return;
  context.on('response', async (response) => {
    const request = response.request();
    const isForm = request.method() === 'POST' && !new URL(request.url()).pathname.startsWith('/api/');
    if (isForm || !['document', 'fetch', 'xhr'].includes(request.resourceType())) return;
    // An answer of a page that was left, or that never ends, has no text.
    const text = await response.text().catch(() => '');
    keep('answers', text);
  });
}
