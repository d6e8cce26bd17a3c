// How long the page's own thread was busy, as the browser's tracing tells it.
import type { CDPSession, Page } from '@playwright/test';

interface TraceEvent {
  name: string;
  ph: string;
  dur?: number;
  pid: number;
  tid: number;
  args?: { name?: string };
}

/** The tasks of the page's main thread while a function ran, in ms, the longest first. */
export async function tasksDuring(page: Page, run: () => Promise<void>): Promise<number[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  const categories = 'toplevel,disabled-by-default-devtools.timeline,devtools.timeline,__metadata';
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: categories.split(',') } });
  await run();
  const done = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await done;
  const main = events.filter((event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain');
  const isMain = (event: TraceEvent) => main.some(({ pid, tid }) => pid === event.pid && tid === event.tid);
  const tasks = events.filter((event) => event.ph === 'X' && /RunTask$/.test(event.name) && isMain(event));
  return tasks.map((event) => (event.dur ?? 0) / 1000).sort((a, b) => b - a);
}
