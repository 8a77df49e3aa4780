import type { Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { PICTURE } from './voice-message.ts';

export { PICTURE };

/** The first bytes of an MP4, so that the storage takes it for one; `bytes` in all. */
export function film(bytes = 2_000, name = 'maschine.mp4') {
  const buffer = Buffer.alloc(bytes, 1);
  Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex').copy(buffer);
  return { name, mimeType: 'video/mp4', buffer };
}

export const REPORT = {
  name: 'Prüfbericht 😀.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
} as const;

/** Puts files where the screen's picker would. */
export async function choose(page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) {
  await page.locator('input[type=file]').first().setInputFiles(files);
}

export const ANSWERS = {
  'Wer?': 'Das Team der Montage',
  'Was?': 'Eine neue Prüfmaschine',
  'Wann?': 'Im Oktober',
  'Wo?': 'In Halle 3',
  'Warum?': 'Weil sie leiser ist',
} as const;

export async function answerAll(page: Page): Promise<void> {
  for (const [question, answer] of Object.entries(ANSWERS)) await page.getByLabel(question).fill(answer);
}

type Stored = Readonly<{
  interviews: readonly Readonly<Record<string, unknown>>[];
  media: readonly Readonly<{ file_path: string; file_type: string }>[];
  objects: readonly Readonly<{ name: string; size: string }>[];
}>;

/** Everything that belongs to one contribution, past every policy. */
export async function getStored(databaseUrl: string, interviewId: string): Promise<Stored> {
  return asOwner(databaseUrl, async (client) => ({
    interviews: (await client.query('select * from public.interviews where id = $1', [interviewId])).rows,
    media: (
      await client.query('select file_path, file_type from public.media_uploads where interview_id = $1 order by id', [
        interviewId,
      ])
    ).rows,
    objects: (
      await client.query(
        `select name, metadata ->> 'size' as size from storage.objects where name like $1 || '/%' order by created_at`,
        [interviewId],
      )
    ).rows,
  }));
}

/** The contribution this tab works on. */
export async function currentId(page: Page, key = 'currentInterviewId'): Promise<string> {
  return (await page.evaluate((name) => sessionStorage.getItem(name), key)) ?? '';
}
