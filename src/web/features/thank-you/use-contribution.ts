import { useCallback, useEffect, useRef, useState } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { downloadMedia, listMedia, type StoredFile } from '#web/backend/media.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import { numericId } from '#web/submission/local-id.ts';
import { transcriptFile } from './summary-card.tsx';

/** What this browser knows already, shown until the database answers and where it cannot. */
export type Known = Readonly<{ files: readonly StoredFile[]; transcript: string | undefined }>;

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
    if (file !== undefined) return await (await downloadMedia(backend, file.path)).text();
  } catch (error) {
    console.warn('thank-you: transcript file not read', error instanceof Error ? error.name : '');
  }
  return readTranscript(backend, id);
}
