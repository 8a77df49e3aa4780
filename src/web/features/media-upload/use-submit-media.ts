import { useRef, useState } from 'react';
import { REDIRECT_AFTER_IMAGES_MS, W_ANSWER_MIN_LENGTH_IMAGES } from '#contract/limits.ts';
import { tryToStore, watchClearing } from '#web/backend/browser-storage.ts';
import { useBackendLoader } from '#web/backend/client.ts';
import { readLike } from '#web/backend/stored-session.ts';
import { NO_ANSWERS, W_QUESTIONS, type WAnswers } from '#web/backend/w-questions.ts';
import { useFlow } from '#web/submission/flow.ts';
import { openSending } from '#web/submission/load-sending.ts';
import { numericId } from '#web/submission/local-id.ts';
import type { PartDraft } from '#web/submission/outbox/entry.ts';
import { describeUploadFailure, fileTexts, limitMessage } from '#web/submission/texts.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { type ChosenFiles, findBegun, nameChosenFiles } from '#web/submission/use-chosen-files.ts';
import { judgeAllOrNothing, useFileSubmission } from '#web/submission/use-file-submission.ts';
import { useDelayed } from '#web/submission/use-running-work.ts';
import { useSubmission, useUploadContribution } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { KINDS, type MediaKind, texts } from './texts.ts';

/**
 * §2.9: how the W-questions were answered. `read`: an interview that is still running hands its last words over as it
 * makes way for the upload.
 */
type Description = Readonly<{ type: 'text'; answers: WAnswers }> | Readonly<{ type: 'interview'; read: () => string }>;

/** `cause` says why. */
class DescriptionError extends Error {
  constructor(cause: unknown) {
    super('the description was not saved', { cause });
  }
}

type SubmitOptions = Readonly<{ kind: MediaKind; chosen: ChosenFiles; draft: ReturnType<typeof useMediaDraft> }>;

/** §4 'Video and image flow': row, description, file, metadata, thank-you. */
export function useSubmitMedia({ kind, chosen, draft }: SubmitOptions) {
  const loadBackend = useBackendLoader();
  const toast = useToast();
  const { store } = useSubmission();
  const { uploadId, ensureUploadId } = useUploadContribution(chosen);
  const backendStatus = useBackendStatus();
  const submission = useFileSubmission<Description>({
    chosen,
    backendStatus,
    contentId: uploadId,
    ensureId: ({ type }) => ensureUploadId(type === 'interview' ? 'image-interview' : 'plain'),
    saveFirst: async (interviewId, description) => {
      const endSending = store.markSending(interviewId);
      const outcome = await saveDescription(loadBackend, interviewId, description).catch((error: unknown) => {
        endSending();
        throw error;
      });
      const said = outcome === 'saved' && description.type === 'text';
      if (said) toast({ ...KINDS[kind].descriptionSaved, variant: 'good' });
    },
    listOtherParts: (description) => [toPart(description)],
    written: JSON.stringify([draft.answers, draft.transcript]),
    toast,
    messages: { inOutbox: texts.inOutbox, local: { ...texts.local, variant: 'caution' } },
    judge: (outcome) => judge(outcome, kind),
    describeError: (error) => describeProblem(error, kind),
    leave: useLeave(chosen, draft.forget),
  });
  return {
    ...submission,
    status: backendStatus.status,
    ensureInterviewId: async () => {
      const content = await ensureUploadId('image-interview');
      if (content.source === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
      return content.id;
    },
  };
}

function judge(outcome: Parameters<typeof judgeAllOrNothing>[0], kind: MediaKind) {
  const { uploaded, uploadFailed } = KINDS[kind];
  return judgeAllOrNothing(outcome, uploaded, (failed) => describeUploadFailure(failed, uploadFailed));
}

/** §8: what went wrong before the file was sent. */
function describeProblem(error: unknown, kind: MediaKind) {
  const isDescription = error instanceof DescriptionError;
  const limit = limitMessage(isDescription ? error.cause : error);
  return limit ?? (isDescription ? KINDS[kind].descriptionFailed : KINDS[kind].uploadFailed);
}

/** 'kept' for a local id: then it is in this browser only. Throws DescriptionError. */
async function saveDescription(
  loadBackend: ReturnType<typeof useBackendLoader>,
  interviewId: string,
  description: Description,
) {
  try {
    const { client, saveSpokenTranscript, saveWAnswers } = await openSending(loadBackend, interviewId);
    if (description.type === 'text') return await saveWAnswers(client, interviewId, description.answers);
    return await saveSpokenTranscript(client, interviewId, description.read(), new Date());
  } catch (error) {
    throw new DescriptionError(error);
  }
}

function toPart(description: Description): PartDraft {
  if (description.type === 'text') return { kind: 'answers', answers: description.answers };
  return { kind: 'transcript', text: description.read() };
}

function useLeave({ files }: ChosenFiles, onDone: () => void) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const later = useDelayed();
  return (interviewId: string, how: 'uploaded' | 'kept' | 'held') => {
    store.keepDescribed(interviewId);
    onDone();
    const arrived = how === 'uploaded';
    const state = { interviewId, uploadSuccess: arrived, ...(arrived ? {} : { files: nameChosenFiles(files) }) };
    later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
  };
}

/** §5: a video's answers must not be empty once trimmed, an image's have at least 2 characters. In the order asked. */
export function unanswered(kind: MediaKind, answers: WAnswers): readonly (typeof W_QUESTIONS)[number][] {
  const least = kind === 'image' ? W_ANSWER_MIN_LENGTH_IMAGES : 1;
  return W_QUESTIONS.filter((question) => answers[question].trim().length < least);
}

export function trimmed(answers: WAnswers): WAnswers {
  const { who, what, when, where, why } = answers;
  return { who: who.trim(), what: what.trim(), when: when.trim(), where: where.trim(), why: why.trim() };
}

/** What has been typed or said so far; it outlives back and reload (session storage). The file itself cannot. */
type Draft = Readonly<{ answers: WAnswers; transcript: string }>;

const EMPTY_DRAFT: Draft = { answers: NO_ANSWERS, transcript: '' };

const isBegun = ({ answers, transcript }: Draft): boolean =>
  [...Object.values(answers), transcript].some((words) => words.trim() !== '');

type SavedDescription = Readonly<{ answers: WAnswers | undefined; transcript: string }>;

function readDraft(key: string): Draft {
  return readLike(sessionStorage, key, EMPTY_DRAFT) ?? EMPTY_DRAFT;
}

function writeDraft(key: string, draft: Draft): void {
  tryToStore(sessionStorage, key, JSON.stringify(draft));
}

/** Leaves the draft of a later contribution, begun while this one was sent. */
function forgetDraft(key: string, draft: Draft): void {
  if (sessionStorage.getItem(key) === JSON.stringify(draft)) sessionStorage.removeItem(key);
}

/** The description so far, kept with every key stroke. */
export function useMediaDraft(kind: MediaKind, { files }: ChosenFiles) {
  const { area, state } = useFlow();
  const shared = `media_draft:${area.id}:${kind}`;
  // A continued contribution has a draft of its own, unless it was typed beside its file here (decision 0275).
  const [key] = useState(() => {
    const id = numericId(state.interviewId);
    return id === undefined || files.some((file) => numericId(findBegun(file)) === id) ? shared : `${shared}:${id}`;
  });
  const [draft, setDraft] = useState(() => readDraft(key));
  const latest = useRef(draft);
  const [isCurrent] = useState(watchClearing);
  const [found, setFound] = useState(() => isBegun(draft));
  const keep = (next: typeof draft) => {
    latest.current = next;
    setDraft(next);
    if (isCurrent()) writeDraft(key, next);
  };
  return {
    answers: draft.answers,
    transcript: draft.transcript,
    /** The words so far, also those that came since the screen was drawn. */
    readTranscript: () => latest.current.transcript,
    /** Whether this screen was opened with a description from before. */
    found,
    /** Not kept before they are changed: another contribution would begin with them. */
    goOnWith: ({ answers = NO_ANSWERS, transcript }: SavedDescription) => {
      if (latest.current !== EMPTY_DRAFT) return;
      setDraft((latest.current = { answers, transcript }));
      setFound(isBegun(latest.current));
    },
    answer: (answers: WAnswers) => keep({ ...draft, answers }),
    say: (transcript: string) => keep({ ...draft, transcript }),
    forget: () => {
      setDraft(EMPTY_DRAFT);
      for (const one of [shared, key]) forgetDraft(one, latest.current);
    },
  };
}
