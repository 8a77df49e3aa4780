import type { StoredFile } from '#web/backend/media.ts';

export type FileKind = 'image' | 'video' | 'audio' | 'text' | 'other';

export type Summary = Readonly<{ type: 'interview' | 'voice'; hasTranscript: boolean; images: number }>;

/**
 * §2.11: summarises a contribution. An interview differs from a voice message by its named speakers (§3 'Transcript text').
 */
export function summarise(
  contribution: Readonly<{
    interviewId: string | undefined;
    transcript: string | undefined;
    files: readonly StoredFile[];
  }>,
): Summary {
  const transcript = contribution.transcript?.trim() ?? '';
  return {
    type: isInterview(transcript, contribution.interviewId) ? 'interview' : 'voice',
    hasTranscript: transcript !== '',
    images: contribution.files.filter((file) => kindOf(file.type) === 'image').length,
  };
}

export function kindOf(type: string): FileKind {
  if (type.includes('text')) return 'text';
  const main = type.split('/')[0];
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'other';
}

/** §7: a file whose type contains 'text' is the transcript; the newest one, as the name carries its time. */
export function transcriptFile(files: readonly StoredFile[]): StoredFile | undefined {
  return files
    .filter((file) => kindOf(file.type) === 'text')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .at(-1);
}

function isInterview(transcript: string, interviewId: string | undefined): boolean {
  if (/^(Interviewer|Du): /m.test(transcript)) return true;
  return /_(engineering|behind_scenes|tech_dive|free_topic)_/.test(`_${interviewId ?? ''}`);
}
