import { openDesk, timeVisits, withPage } from './browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const MOST_MS = 1_000;

/** From the visit to the rows on the screen, for somebody who is logged in and was here before. */
export async function deskScreenRow(subject: Subject): Promise<Row> {
  return withPage(async (page) => {
    await openDesk(page, subject);
    const row = page.getByRole('list', { name: 'Beiträge' }).getByRole('listitem').first();
    const ms = await timeVisits(page, `${subject.url}/admin/eingang`, row);
    return ceiling('the inbox screen with its rows at 100,000', ms, 'ms', MOST_MS);
  });
}
