import { useCallback, useEffect, useRef, useState } from 'react';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { decodeText, downloadMedia, listMedia, type StoredFile } from '#web/backend/media.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import { getKind } from '#web/submission/file-name.ts';
import type { Way } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';

/** What this browser knows already, shown until the database answers and where it cannot. */
type Known = Readonly<{ files: readonly StoredFile[]; transcript: string | undefined }>;

/** `here`: on this device only, the database has nothing of it. */
export type Contribution = Known & Readonly<{ status: 'here' | 'loading' | 'ready' | 'failed'; reload: () => void }>;

/** The files and the transcript of a contribution (§2.11, §7). A local id has nothing in the database. */
export function useContribution(interviewId: string | undefined, known: Known): Contribution {
  const backend = useBackend();
  const id = numericId(interviewId);
  const [first] = useState(known);
  const [loaded, setLoaded] = useState<Readonly<{ status: Contribution['status'] } & Known>>({
    ...first,
    status: 'loading',
  });
  const round = useRef(0);
  const fetchNow = useCallback(async () => {
    if (id === undefined) return;
    round.current += 1;
    const mine = round.current;
    const found = await load(getContributionClient(backend, interviewId), id, first).then(
      (known) => ({ ...known, status: 'ready' as const }),
      () => ({ ...first, status: 'failed' as const }),
    );
    if (mine === round.current) setLoaded(found);
  }, [backend, interviewId, id, first]);
  useEffect(() => {
    void fetchNow();
    return () => {
      round.current += 1;
    };
  }, [fetchNow]);
  const reload = () => {
    setLoaded((now) => ({ ...now, status: 'loading' }));
    void fetchNow();
  };
  return id === undefined ? { ...first, status: 'here', reload } : { ...loaded, reload };
}

async function load(backend: BackendClient, id: number, known: Known): Promise<Known> {
  const files = await listMedia(backend, id);
  const transcript = (await storedTranscript(backend, id, files)) ?? known.transcript;
  return { files, transcript };
}

/** §7: the text file, else the interview's own column. */
async function storedTranscript(backend: BackendClient, id: number, files: readonly StoredFile[]) {
  const file = transcriptFile(files);
  try {
    if (file !== undefined) return decodeText(await (await downloadMedia(backend, file.path)).arrayBuffer());
  } catch (error) {
    console.warn('thank-you: transcript file not read', error instanceof Error ? error.name : '');
  }
  return readTranscript(backend, id);
}

export type Summary = Readonly<{ type: Way; hasTranscript: boolean; images: number; files: number }>;

/**
 * §2.11: summarises a contribution. An interview differs from a voice message by its named speakers (§3 'Transcript
 * text'). Files without a word spoken are a video, a picture or a document: the specified words are for speech only.
 * The way that led here says it by itself: a video may be described in an interview.
 */
export function summarise(
  contribution: Readonly<{
    interviewId: string | undefined;
    transcript: string | undefined;
    files: readonly StoredFile[];
    way?: Way | undefined;
  }>,
): Summary {
  const transcript = contribution.transcript?.trim() ?? '';
  return {
    type: contribution.way ?? findType(transcript, contribution),
    hasTranscript: transcript !== '',
    images: contribution.files.filter((file) => getKind(file.type) === 'image').length,
    files: contribution.files.length,
  };
}

/** §7: a file whose type contains 'text' is the transcript; the one registered last, whatever the clocks say. */
export function transcriptFile(files: readonly StoredFile[]): StoredFile | undefined {
  return files.findLast((file) => getKind(file.type) === 'text');
}

function findType(
  transcript: string,
  { interviewId, files }: Readonly<{ interviewId: string | undefined; files: readonly StoredFile[] }>,
): Way {
  if (files.some(isTextDocument)) return 'document';
  if (isInterview(transcript, interviewId)) return 'interview';
  const kinds = files.map((file) => getKind(file.type));
  if (transcript !== '' || kinds.includes('audio') || /_voice_/.test(`_${interviewId ?? ''}`)) return 'voice';
  if (kinds.includes('video')) return 'video';
  if (kinds.includes('other')) return 'document';
  return kinds.includes('image') ? 'image' : 'voice';
}

/** One that was handed in, while §3 names what the application writes itself. */
function isTextDocument({ path, type }: StoredFile): boolean {
  return getKind(type) === 'text' && !/(?:^|\/)transcript_\d+\.txt$/.test(path);
}

function isInterview(transcript: string, interviewId: string | undefined): boolean {
  if (/^(Interviewer|Du): /m.test(transcript)) return true;
  return /_(engineering|behind_scenes|tech_dive|free_topic)_/.test(`_${interviewId ?? ''}`);
}
