import { openDesk, timeVisits, withPage } from './browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const MOST_MS = 1_000;

/** From the visit to the figures on the screen, for somebody who is logged in and was here before. */
export async function adminScreenRow(subject: Subject): Promise<Row> {
  return withPage(async (page) => {
    await openDesk(page, subject);
    const ms = await timeVisits(page, `${subject.url}/admin`, page.getByRole('link', { name: /Firma A .*Beiträge/ }));
    return ceiling('the admin screen with its figures, same size', ms, 'ms', MOST_MS);
  });
}
