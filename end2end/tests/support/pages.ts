// Where things are on the pages. Roles and visible text wherever there are any, so that a change of markup is mended here and nowhere
// else.
import { expect, type Locator, type Page } from '@playwright/test';

/** Opens a page and waits until its script has taken over; a click before that is lost. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
}

/** Waits until the page's script has taken over. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator('html[data-hydrated]')).toBeAttached();
}

/** The word that says how live the page is. */
export function badge(page: Page): Locator {
  return page.getByRole('banner').getByRole('status');
}

/** Waits until the page follows the log. */
export async function live(page: Page): Promise<void> {
  await expect(badge(page)).toHaveText('Live');
}

/** The rows of the table of events, newest first. */
export function rows(page: Page): Locator {
  return page.locator('table.events tbody tr');
}

/** A row by a text of it. */
export function row(page: Page, text: string | RegExp): Locator {
  return rows(page).filter({ hasText: text });
}

/** The ids of the events in the table, newest first, without marks between them. */
export async function rowIds(page: Page): Promise<string[]> {
  return rows(page).evaluateAll((trs) =>
    trs.flatMap((tr) => {
      const href = tr.querySelector('a.to-event')?.getAttribute('href');
      return href ? [new URL(href, location.href).searchParams.get('id') ?? ''] : [];
    }),
  );
}

/** The first place at which two lists of ids differ, in short; `null` when they are the same. */
export function firstDifference(seen: string[], wanted: string[]): { at: number; seen: string[]; wanted: string[] } | null {
  const at = Array.from({ length: Math.max(seen.length, wanted.length) }).findIndex((_, at) => seen[at] !== wanted[at]);
  return at < 0 ? null : { at, seen: seen.slice(at, at + 3), wanted: wanted.slice(at, at + 3) };
}

/** Where the delegation of a task page stands. */
export function state(page: Page): Locator {
  return page.locator('main .page-head .status');
}

/** The steps of a task page, oldest first. */
export function steps(page: Page): Locator {
  return page.locator('ol.steps > li');
}

/** The board of open delegations. */
export function board(page: Page): Locator {
  return page.locator('.board');
}

/** A column of the board by its state. */
export function column(page: Page, word: string): Locator {
  return board(page).locator('section', { has: page.getByRole('heading', { name: word }) });
}

/** The chips of the filter. */
export function chips(page: Page): Locator {
  return page.getByRole('list', { name: 'Filter' }).locator('li.chip');
}

/** Fails if the page is loaded again after this call: what appears must have come over the stream. */
export function watchReloads(page: Page): () => void {
  let loads = 0;
  page.on('load', () => (loads += 1));
  return () => expect(loads, 'loads of the page').toBe(0);
}

/**
 * Tells the page that its tab is hidden or visible again. The browser of the tests shows every tab, so what a browser would say is
 * said by the test: the property and the event are the same.
 */
export async function setVisible(page: Page, visible: boolean): Promise<void> {
  await page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (visible ? 'visible' : 'hidden') });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => !visible });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, visible);
}
