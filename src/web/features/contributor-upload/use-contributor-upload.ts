import type { BackendErrorKind } from '#web/backend/errors.ts';
import { fileTexts } from '#web/submission/file-texts.ts';
import { limitMessageOf } from '#web/submission/limit-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { holdParts, releaseParts } from '#web/submission/held.ts';
import { numericId } from '#web/submission/local-id.ts';
import { filePartsOf } from '#web/submission/outbox/file-parts.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useAttempts, type Ending } from '#web/submission/use-attempts.ts';
import type { BackendStatusHandle } from '#web/submission/use-backend-status.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useFileUpload, type UploadOutcome } from '#web/submission/use-file-upload.ts';
import { useShown } from '#web/submission/use-shown.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

type UploadDeps = Readonly<{
  chosen: ChosenFiles;
  backendStatus: BackendStatusHandle;
  /** Of the contribution, where there is one already. */
  id: string | undefined;
  adopt: (id: string) => void;
}>;

/** §4 'Contributor upload'. A second submit meanwhile is ignored; what has arrived is not sent again. */
export function useContributorUpload({ chosen, backendStatus, id, adopt }: UploadDeps) {
  const { ensureId } = useSubmission();
  const keeping = useKeepOnDevice(id);
  const toast = useToast();
  const upload = useFileUpload(chosen);
  const leave = useLeave(chosen);
  const missing = filePartsOf(chosen.files);
  const before = chosen.files.length - missing.length;

  const ensure = async () => {
    const content = id === undefined ? await ensureId('plain') : { id, origin: 'session' as const };
    adopt(content.id);
    return content;
  };
  const keep = async (): Promise<Ending> => {
    const { id: interviewId } = await ensure();
    if (!(await keeping.keep(missing, interviewId))) return 'failed';
    toast(texts.inOutbox);
    leave(interviewId, 'kept');
    return 'over';
  };
  const keepInMemory = async (interviewId: string) => {
    holdParts(interviewId, missing);
    await upload.keepLocally();
    toast({ ...texts.local, variant: 'caution' });
  };
  const end = ({ stored, failed, left }: UploadOutcome, interviewId: string): Ending => {
    const arrived = stored.length + before;
    if (failed.length === 0) {
      releaseParts();
      toast({ ...texts.success(arrived), variant: 'good' });
      leave(interviewId, 'uploaded');
      return 'over';
    }
    holdParts(interviewId, left);
    const message = failureMessage(failed, stored.length, arrived, chosen.files.length);
    if (message !== undefined) toast({ ...message, variant: stored.length > 0 ? 'caution' : 'destructive' });
    return failed.includes('unreachable') ? 'unreachable' : 'failed';
  };
  const send = async (): Promise<Ending> => {
    const content = await ensure();
    if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
    const number = numericId(content.id);
    if (number !== undefined && backendStatus.status !== 'unavailable')
      return end(await upload.send(number), content.id);
    await keepInMemory(content.id);
    if (number !== undefined) return 'unreachable';
    leave(content.id, 'skipped');
    return 'over';
  };
  const guarded = (work: () => Promise<Ending>) => async (): Promise<Ending> => {
    upload.setStatus('preparing');
    const ending = await work().catch((error: unknown): Ending => {
      console.error('contribution: not uploaded', error instanceof Error ? error.name : '');
      toast({ ...fileTexts.uploadFailed, variant: 'destructive' });
      return 'failed';
    });
    upload.setStatus('idle');
    return ending;
  };
  const idle = upload.phase.status === 'idle' && missing.length > 0;
  // What has begun to go by the outbox goes on that way.
  const way = guarded(keeping.entry === undefined ? send : keep);
  const attempts = useAttempts<void>({ backendStatus, idle, send: way });
  return {
    phase: upload.phase,
    submit: () =>
      chosen.files.length === 0 ? toast({ ...texts.noFiles, variant: 'destructive' }) : void attempts.submit(),
    cancel: upload.cancel,
    skip: () => leave(id, before > 0 ? 'uploaded' : 'skipped'),
    /** 'Auf diesem Gerät sichern', where it is of use now. */
    keeping:
      attempts.undelivered && missing.length > 0
        ? { state: keeping.state, onKeep: () => void attempts.attempt(undefined, guarded(keep)) }
        : undefined,
  };
}

/** To the thank-you screen; it is told the names of what the database does not know yet. */
function useLeave({ files }: ChosenFiles) {
  const { go } = useFlow();
  const shown = useShown();
  return (interviewId: string | undefined, how: 'uploaded' | 'kept' | 'skipped') => {
    if (!shown.current) return;
    const tell = how === 'kept' || (how === 'skipped' && numericId(interviewId) === undefined && files.length > 0);
    const named = files.map(({ file }) => ({ path: file.name, type: file.type }));
    const about = { uploadSuccess: how === 'uploaded', ...(tell ? { files: named } : {}) };
    go({ to: 'thank-you', state: { ...(interviewId === undefined ? {} : { interviewId }), ...about } });
  };
}

/** Nothing is said about an upload the user stopped. */
function failureMessage(failed: readonly BackendErrorKind[], stored: number, arrived: number, of: number) {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  if (failed.includes('refused')) return fileTexts.accessRestricted;
  if (failed.includes('aborted')) return undefined;
  return limitMessageOf(failed) ?? (stored > 0 ? texts.partial(arrived, of) : texts.none);
}
