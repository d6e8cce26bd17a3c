// What may be on a page after hostile text was shown on it.
import type { Page } from '@playwright/test';

import { expect } from './fixtures.ts';

/** Fails if text became anything else. `never` selects what the page's own main part has none of. */
export async function expectHarmless(page: Page, what: string, never = 'form[action="/sign-out"]'): Promise<void> {
  const found = await page.evaluate((never) => {
    const html = (elements: Iterable<Element>) => [...elements].map((e) => e.outerHTML);
    const main = document.querySelector('main')!;
    return {
      ran: (window as unknown as { __ran?: number }).__ran ?? 0,
      handlers: html([...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on')))),
      elements: html(document.body.querySelectorAll('img, iframe, object, embed, base, meta, style')),
      never: html(main.querySelectorAll(never)),
      links: [...document.querySelectorAll('a[href], area[href]')].map((a) => a.getAttribute('href')!).filter((href) => !/^[/#](?!\/)/.test(href)),
      base: document.baseURI === location.href,
    };
  }, never);
  expect(found, what).toEqual({ ran: 0, handlers: [], elements: [], never: [], links: [], base: true });
}
