import { useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { useFlow } from '../flow.ts';
import { numericId } from '../local-id.ts';
import { submissionStore } from '../store.ts';
import { DEVICE_OWNER, type Entry } from './entry.ts';
import { browserOutbox, type PartDraft } from './outbox.ts';
import { useOutbox } from './use-outbox.ts';

export type KeepState = 'offered' | 'saving' | 'kept' | 'full';

export type KeepHandle = Readonly<{
  state: KeepState;
  /** The entry of this contribution, once the user has chosen to keep it. */
  entry: Entry | undefined;
  /**
   * Puts the parts into the outbox, from where they go by themselves; the same part again takes the place of the first.
   * `contentId` where it was only made now. False where this device has no room: nothing of what was there is lost then.
   */
  keep: (parts: readonly PartDraft[], contentId?: string) => Promise<boolean>;
}>;

/** 'Auf diesem Gerät sichern' for the contribution at hand; chosen once, it holds for all its later screens. */
export function useKeepOnDevice(interviewId: string | undefined): KeepHandle {
  const { config } = useBackend();
  const { area } = useFlow();
  const owner = storedUser(config.supabaseUrl)?.id ?? DEVICE_OWNER;
  const { entries } = useOutbox(owner);
  const [run, setRun] = useState<'idle' | 'saving' | 'full'>('idle');
  const entry = entries.find((candidate) => candidate.contentId === interviewId);
  const keep = async (parts: readonly PartDraft[], contentId = interviewId): Promise<boolean> => {
    if (contentId === undefined) return false;
    setRun('saving');
    try {
      void navigator.storage?.persist?.().catch(() => false);
      const all = [...parts, ...earlierTranscript(area.storageKeys, contentId, parts)];
      await browserOutbox().keep({ owner, area: area.id, contentId }, all);
      setRun('idle');
      return true;
    } catch (error) {
      console.warn('outbox: not kept', error instanceof Error ? error.name : '');
      setRun('full');
      return false;
    }
  };
  return { state: stateOf(run, entry), entry, keep };
}

function stateOf(run: 'idle' | 'saving' | 'full', entry: Entry | undefined): KeepState {
  if (run !== 'idle') return run;
  return entry === undefined ? 'offered' : 'kept';
}

/** What was said on an earlier screen of a local contribution belongs to it, even if it is kept from here on only. */
function earlierTranscript(
  keys: Parameters<typeof submissionStore>[0],
  contentId: string,
  parts: readonly PartDraft[],
): readonly PartDraft[] {
  if (numericId(contentId) !== undefined) return [];
  const store = submissionStore(keys);
  const text = store.transcriptInterviewId() === contentId ? (store.transcript() ?? '') : '';
  if (text.trim() === '' || parts.some((part) => part.kind === 'transcript')) return [];
  return [{ kind: 'transcript', text }];
}
