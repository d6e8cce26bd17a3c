// The title of a page is text of agents too, and stands in the head of the document, where markup would be at its worst.
import { expect, test } from './support/fixtures.ts';
import { open } from './support/pages.ts';
import { HOSTILE } from './support/samples.ts';

test('no title ends itself, on any page', async ({ hub, page }) => {
  for (const bad of [HOSTILE[10], HOSTILE[12], HOSTILE[13], `</title><meta name="evil">&amp;`]) {
    const agent = bad.slice(0, 128);
    const event = await hub.mcp.append({ from_agent: bad });
    const task = await hub.mcp.createTask({ goal: bad });
    const artifact = await hub.mcp.put('note', 'x', bad, { title: bad, filename: bad });
    await hub.mcp.call('diary_write', { agent_name: agent, entry: 'x' });
    for (const [path, words] of [
      [`/event?id=${event.id}`, bad],
      [`/task?id=${task.correlation_id}`, bad],
      [`/artifact?id=${artifact.id}`, ''],
      [`/diary?agent=${encodeURIComponent(agent)}`, agent],
    ] as const) {
      await open(page, path);
      expect(await page.title(), path).toContain(words);
      expect(await page.locator('head base, head meta[http-equiv], head meta[name=evil], head title ~ title').count(), path).toBe(0);
    }
  }
});
