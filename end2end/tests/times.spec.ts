// Times: UTC in the first frame, as the hub rendered it, then as the reader wants, always with the zone beside it.
import { expect, test } from './support/fixtures.ts';
import { hydrated, live, open, rows, steps } from './support/pages.ts';

for (const [timezoneId, zone, offsetMin] of [
  ['Asia/Kathmandu', 'UTC+05:45', 345],
  ['America/Phoenix', 'UTC−07:00', -420],
] as const) {
  test.describe(timezoneId, () => {
    test.use({ timezoneId });

    test('one switch changes every time on the page, and names the zone', async ({ hub, page }) => {
      const event = await hub.mcp.append({ body: 'at some time' });
      const utc = event.created_at.slice(0, 19).replace('T', ' ');
      const local = new Date(Date.parse(event.created_at) + offsetMin * 60_000).toISOString().slice(0, 19).replace('T', ' ');
      const time = rows(page).first().getByRole('time');
      const head = page.getByRole('columnheader').first();

      const source = await (await page.context().request.get('/log')).text();
      expect(source).toContain(`${utc} UTC`);
      await open(page, '/log');
      await expect(time).toHaveAttribute('title', `${utc} UTC`);
      await expect(time, 'no day: it is today').toHaveText(utc.slice(11), { useInnerText: true });
      await expect(head).toHaveText('UTC');

      await page.getByRole('button', { name: 'UTC' }).click();
      await expect(time).toHaveAttribute('title', `${local} ${zone}`);
      await expect(time).toHaveText(local.slice(11), { useInnerText: true });
      await expect(time).toHaveAttribute('datetime', event.created_at);
      await expect(head).toHaveText(zone);

      await page.reload();
      await hydrated(page);
      await expect(time, 'the choice is remembered').toHaveAttribute('title', `${local} ${zone}`);
      await live(page);
      await hub.mcp.append({ body: 'another' });
      await expect(rows(page)).toHaveCount(2);
      await expect(time, 'what arrives is in the same zone').toHaveAttribute('title', new RegExp(`${zone.replace('+', '\\+')}$`));

      await page.goto(`/event?id=${event.id}`);
      await expect(page.getByRole('main').getByText(`${local} ${zone}`)).toBeVisible();

      await page.getByRole('button', { name: zone }).click();
      await expect(page.getByRole('main').getByText(`${utc} UTC`)).toBeVisible();
      await page.reload();
      await expect(page.getByRole('main').getByText(`${utc} UTC`)).toBeVisible();
    });
  });
}

test('a row tells its day as soon as it is no longer today', async ({ hub, page }) => {
  const { created_at } = await hub.mcp.append();
  await open(page, '/log');
  const time = rows(page).getByRole('time');
  await expect(time).toHaveText(created_at.slice(11, 19), { useInnerText: true });
  await page.clock.setSystemTime(Date.now() + 25 * 3_600_000);
  await expect(time).toHaveText(created_at.slice(5, 19).replace('T', ' '), { useInnerText: true });
});

test.describe('ages', () => {
  test('grow while the page is open, and never stand alone', async ({ hub, page }) => {
    const task = await hub.mcp.createTask();
    await open(page, `/task?id=${task.correlation_id}`);
    await expect(steps(page).getByRole('time')).toHaveAttribute('datetime', task.created_at);
    const so_far = page.getByRole('img', { name: /Swim lanes/ }).getByText(/so far$/);
    const before = await so_far.textContent();
    await expect.poll(() => so_far.textContent()).not.toBe(before);
  });

  test.describe('with a reader’s clock that is an hour wrong', () => {
    test('are counted by the hub’s clock', async ({ hub, page }) => {
      const task = await hub.mcp.createTask();
      await page.clock.setSystemTime(Date.now() + 3_600_000);
      await open(page, `/task?id=${task.correlation_id}`);
      const heading = page.getByRole('heading', { name: /^From request to now/ });
      await expect(heading).toBeVisible();
      await live(page);
      await expect(heading).not.toHaveText(/h|min/);
      await expect(page.getByText('stalled')).toHaveCount(0);
    });
  });
});
