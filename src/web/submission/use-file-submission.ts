import { useEffect, useRef, useState, type RefObject } from 'react';
import { type BackendErrorKind, isKind } from '#web/backend/errors.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { useClearMessage } from '#web/ui/toast.tsx';
import type { ContentId } from './content-id.ts';
import { fileTexts } from './texts.ts';
import { holdParts, useKeepOnDevice, type KeepHandle } from './outbox/use-keep-on-device.ts';
import { numericId } from './local-id.ts';
import type { PartDraft } from './outbox/entry.ts';
import type { BackendStatusHandle } from './use-backend-status.ts';
import { listUnsentFiles, type ChosenFiles } from './use-chosen-files.ts';
import { useFileUpload, type UploadOutcome } from './use-file-upload.ts';
import { useShown } from './use-running-work.ts';

/**
 * How an attempt to hand something in ended: nothing more to do · not delivered · not delivered for want of a
 * connection.
 */
export type Ending = 'over' | 'failed' | 'unreachable';

type Message = Readonly<{ title: string; description?: string }>;
export type UploadMessage = Message & Readonly<{ variant?: 'good' | 'caution' | 'destructive' }>;

/** What an upload comes to: `arrived` goes on to the next screen. */
export type UploadVerdict = Readonly<{ ending: 'arrived' | Ending; message: UploadMessage | undefined }>;

export type FileSubmissionOptions<T> = Readonly<{
  chosen: ChosenFiles;
  backendStatus: BackendStatusHandle;
  /** Of the contribution, where it is known before the first attempt. */
  contentId: string | undefined;
  /** Finds or makes the contribution that the files belong to (§4). */
  ensureId: (input: T) => Promise<ContentId>;
  /** Saves what goes before the files. */
  saveFirst?: (interviewId: string, input: T) => Promise<void>;
  /** The parts to keep on this device besides the files. */
  listOtherParts?: (input: T) => readonly PartDraft[];
  /** What is written on the screen beside the files now. */
  written?: string;
  /** Without a backend: sends all the same, or holds the files until it is back. */
  whenUnavailable?: 'send' | 'hold';
  /** `idle`: the screen takes more files for the same contribution. */
  phaseAtEnd?: 'done' | 'idle';
  toast: (message: UploadMessage) => void;
  messages: Readonly<{ inOutbox: Message; local: UploadMessage }>;
  judge: (outcome: UploadOutcome, interviewId: string) => UploadVerdict;
  describeError?: (error: unknown) => Message;
  /** Goes on to the next screen. `held`: the files are in the memory of this page. */
  leave: (interviewId: string, how: 'uploaded' | 'kept' | 'held', stored: readonly StoredFile[]) => void;
}>;

/**
 * Hands in the chosen files of a contribution, or keeps them on this device. Ignores a second submit meanwhile, sends
 * nothing twice, and continues by itself once the backend answers again.
 */
export function useFileSubmission<T = void>(options: FileSubmissionOptions<T>) {
  const { chosen, backendStatus, toast } = options;
  const upload = useFileUpload(chosen);
  const clearMessage = useClearMessage();
  const keeping = useKeepOnDevice(options.contentId);
  const shown = useShown();
  const work = { options, upload, keeping, shown, unsent: listUnsentFiles(chosen.files) };
  const guard = (attempt: (work: Work<T>, input: T) => Promise<Ending>) => async (input: T) => {
    upload.setStatus('preparing');
    clearMessage();
    const ending = await attempt(work, input).catch((error: unknown): Ending => {
      console.error('files: not submitted', error instanceof Error ? error.name : '');
      toast({ ...(options.describeError?.(error) ?? fileTexts.uploadFailed), variant: 'destructive' });
      return isUnreachable(error) ? 'unreachable' : 'failed';
    });
    upload.rest();
    return ending;
  };
  const idle = upload.phase.status === 'idle' && work.unsent.length > 0;
  // A contribution that goes by the outbox continues that way.
  const send = guard(keeping.entry === undefined ? sendFiles : keepOrSendFiles);
  const content = [options.written, ...chosen.files.map(({ key }) => key)].join();
  const attempts = useAttempts({ backendStatus, idle, content, send });
  return {
    phase: upload.phase,
    cancel: upload.cancel,
    submit: async (input: T) => void (upload.phase.status !== 'done' && (await attempts.submit(input))),
    keepState: keeping.state,
    keep: (input: T) => void attempts.attempt(input, guard(keepFiles)),
    /** Whether keeping the files on this device is of use now. */
    undelivered: attempts.undelivered,
  };
}

type Work<T> = Readonly<{
  options: FileSubmissionOptions<T>;
  upload: ReturnType<typeof useFileUpload>;
  keeping: KeepHandle;
  shown: Readonly<RefObject<boolean>>;
  unsent: readonly PartDraft[];
}>;

/** If the outbox has no space for these files, they may still be sent now. */
async function keepOrSendFiles<T>(work: Work<T>, input: T): Promise<Ending> {
  const ending = await keepFiles(work, input);
  return ending === 'failed' ? sendFiles(work, input) : ending;
}

async function keepFiles<T>(work: Work<T>, input: T): Promise<Ending> {
  const { options, keeping } = work;
  const id = options.contentId ?? (await options.ensureId(input)).id;
  const parts = listParts(work, input);
  const ask = (lost: Blob): void =>
    options.chosen.files.forEach(
      ({ key, file }) => file === lost && options.chosen.update(key, { state: 'failed', failure: 'unreadable' }),
    );
  if (!(await keeping.keep(parts, id, ask))) return 'failed';
  return parts.length === 0 ? 'over' : endKept(work, id);
}

function endKept<T>(work: Work<T>, id: string): Ending {
  work.options.toast(work.options.messages.inOutbox);
  return end(work, id, 'kept', []);
}

function isUnreachable(error: unknown): boolean {
  return isKind(error, 'unreachable') || (error instanceof Error && isKind(error.cause, 'unreachable'));
}

async function sendFiles<T>(work: Work<T>, input: T): Promise<Ending> {
  const { options, upload, keeping, shown } = work;
  const { id, source } = await options.ensureId(input);
  if (source === 'local') options.toast({ ...fileTexts.localId, variant: 'caution' });
  const number = numericId(id);
  // After leaving the screen the user cannot retry, so what is missing goes through the outbox (decision 0357).
  const keepIfLeft = async (parts: readonly PartDraft[]): Promise<boolean> => {
    const isKept = !shown.current && (await keeping.keep(parts, id));
    if (isKept) endKept(work, id);
    return isKept;
  };
  try {
    await options.saveFirst?.(id, input);
  } catch (error) {
    if (isUnreachable(error) && (await keepIfLeft(listParts(work, input)))) return 'over';
    throw error;
  }
  const isHeld = options.whenUnavailable === 'hold' && options.backendStatus.status === 'unavailable';
  if (number === undefined || isHeld) {
    const parts = listParts(work, input);
    holdParts(id, parts);
    await upload.keepLocally();
    if (await keepIfLeft(parts)) return 'over';
    options.toast(options.messages.local);
    return number === undefined ? end(work, id, 'held', []) : 'unreachable';
  }
  const outcome = await upload.send(number);
  const { ending, message } = options.judge(outcome, id);
  if (ending === 'unreachable' && (await keepIfLeft(outcome.left))) return 'over';
  if (message !== undefined) options.toast(message);
  return ending === 'arrived' ? end(work, id, 'uploaded', outcome.stored) : ending;
}

function listParts<T>({ options, unsent }: Work<T>, input: T): readonly PartDraft[] {
  return [...(options.listOtherParts?.(input) ?? []), ...unsent];
}

function end<T>({ options, upload }: Work<T>, ...given: Parameters<FileSubmissionOptions<T>['leave']>): Ending {
  upload.setStatus(options.phaseAtEnd ?? 'done');
  options.chosen.forget();
  options.leave(...given);
  return 'over';
}

/** Says nothing about an upload that the user stopped. */
export function judgeAllOrNothing(
  { failed }: UploadOutcome,
  success: Message,
  describeFailure: (failed: readonly BackendErrorKind[]) => Message,
): UploadVerdict {
  if (failed.length === 0) return { ending: 'arrived', message: { ...success, variant: 'good' } };
  if (failed.includes('aborted')) return { ending: 'over', message: undefined };
  const ending = failed.includes('unreachable') ? 'unreachable' : 'failed';
  return { ending, message: { ...describeFailure(failed), variant: 'destructive' } };
}

type AttemptsOptions<T> = Readonly<{
  backendStatus: BackendStatusHandle;
  /** Whether the screen could begin another attempt now. */
  idle: boolean;
  /** What was changed after an attempt is not sent without a press. */
  content: string;
  send: (input: T) => Promise<Ending>;
}>;

/** Makes one attempt at a time and ignores others meanwhile. */
function useAttempts<T>({ backendStatus, idle, content, send }: AttemptsOptions<T>) {
  const busy = useRef(false);
  const [unsent, setUnsent] = useState<Readonly<{ input: T; stopped: string | false }>>();
  const attempt = async (input: T, work: (input: T) => Promise<Ending>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setUnsent(undefined);
    try {
      const ending = await work(input);
      if (ending !== 'over') setUnsent({ input, stopped: ending === 'unreachable' && content });
    } finally {
      busy.current = false;
    }
  };
  const resume = () => void (unsent !== undefined && attempt(unsent.input, send));
  useResume({ ...backendStatus, stopped: idle && unsent?.stopped === content, resume });
  return {
    submit: (input: T) => attempt(input, send),
    attempt,
    /** Whether the last attempt did not deliver, or none could now. */
    undelivered: unsent !== undefined || backendStatus.status === 'unavailable',
  };
}

/** How often a failed attempt is repeated, with growing pauses, while the backend answers. */
const MOST_TRIES = 5;
const PAUSE_MS = 3_000;

type Resumed = Pick<BackendStatusHandle, 'status' | 'check'> &
  Readonly<{
    /** The last attempt stopped because no answer came, and the screen still has all of it. */
    stopped: boolean;
    resume: () => void;
  }>;

/** Continues as soon as the backend answers again: in a workshop, hands are not free to press 'Erneut versuchen'. */
function useResume({ stopped, status, check, resume }: Resumed): void {
  const latest = useRef(resume);
  const tries = useRef(0);
  useEffect(() => {
    latest.current = resume;
  });
  useEffect(() => {
    if (status !== 'ready') tries.current = 0;
  }, [status]);
  useEffect(() => {
    if (!stopped || status === 'unavailable' || tries.current >= MOST_TRIES) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const look = async (): Promise<void> => {
      if ((await check()) !== 'ready' || left) return;
      timer = setTimeout(() => {
        tries.current += 1;
        latest.current();
      }, PAUSE_MS * tries.current);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [stopped, status, check]);
}
