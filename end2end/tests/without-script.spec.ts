// Without its script the whole site is still one that can be walked: every link on every page leads to a page that is whole.
import { expect, test } from './support/fixtures.ts';
import { writeEntry } from './support/memory.ts';

test.use({ javaScriptEnabled: false });
test.setTimeout(180_000);

/** How many pages are looked at; the links of all of them are followed, the first of each kind of address first. */
const MOST = 70;
/** How many addresses of one kind. */
const OF_ONE_KIND = 3;

test('every link of every page leads to a page that is whole', async ({ hub, page }) => {
  await hub.command('demo');
  await writeEntry(hub, 'mac:claude', 'An entry.');
  const kinds = new Map<string, number>();
  const seen = new Set<string>(['/']);
  const ways = ['/'];
  const broken: string[] = [];
  for (let at = 0; at < ways.length && at < MOST; at += 1) {
    const path = ways[at]!;
    const answer = await page.goto(path);
    if (answer?.status() !== 200) {
      broken.push(`${path}: ${answer?.status()}`);
      continue;
    }
    const found = await page.evaluate(() => ({
      heads: document.querySelectorAll('h1').length,
      title: document.title,
      busy: document.querySelectorAll('[aria-busy=true]').length,
      dead: [...document.querySelectorAll<HTMLElement>('.needs-script')].filter((e) => e.checkVisibility({ visibilityProperty: true })).length,
      wide: document.documentElement.scrollWidth - innerWidth,
      links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter((a) => !a.hasAttribute('download')).map((a) => a.getAttribute('href')!),
    }));
    if (found.heads !== 1) broken.push(`${path}: ${found.heads} headings`);
    if (!found.title.includes('Loggia')) broken.push(`${path}: the title ${found.title}`);
    if (found.busy > 0) broken.push(`${path}: it waits for its script`);
    if (found.dead > 0) broken.push(`${path}: ${found.dead} buttons that do nothing`);
    if (found.wide > 0) broken.push(`${path}: ${found.wide} px too wide`);
    for (const link of found.links) {
      if (!link.startsWith('/') || link.startsWith('//')) continue;
      const way = link.split('#')[0]!;
      const [place, query] = way.split('?');
      // Files are no pages.
      if (/\/(raw|export|report)$/.test(place!) || seen.has(way)) continue;
      const kind = `${place}?${[...new URLSearchParams(query ?? '').keys()].join()}`;
      const count = kinds.get(kind) ?? 0;
      if (count >= OF_ONE_KIND) continue;
      kinds.set(kind, count + 1);
      seen.add(way);
      ways.push(way);
    }
  }
  expect(broken).toEqual([]);
  expect([...kinds.keys()].length, 'kinds of addresses').toBeGreaterThan(12);
});
