import { weighPage } from './browser.ts';
import { ceiling, type Row } from './table.ts';

/** Scripts and styles that have come over the wire (gzip) by the moment a person can log in. */
export async function bundleRow(url: string): Promise<Row> {
  const { scripts } = await weighPage(`${url}/login`, 'E-Mail');
  return ceiling('scripts and styles until one can log in, gzip', scripts, 'kB', 110);
}
