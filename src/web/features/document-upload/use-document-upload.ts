import { useBackend } from '#web/backend/client.ts';
import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import { DOCUMENT_TYPES, sizeProblem, typeOf } from '#web/submission/file-kind.ts';
import { fileTexts, sizeMessage } from '#web/submission/file-texts.ts';
import { limitMessageOf } from '#web/submission/limit-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { holdParts } from '#web/submission/held.ts';
import { numericId } from '#web/submission/local-id.ts';
import { filePartsOf } from '#web/submission/outbox/file-parts.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useAttempts, type Ending } from '#web/submission/use-attempts.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { useChosenFiles, type ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useFileUpload } from '#web/submission/use-file-upload.ts';
import { useShown } from '#web/submission/use-shown.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

const ALLOWED = Object.values(DOCUMENT_TYPES);

/** §2.9, §5: one document by MIME type, then thank-you. A second submit meanwhile is ignored. */
export function useDocumentUpload() {
  const { ensureId } = useSubmission();
  const toast = useToast();
  const chosen = useChosenFiles();
  const take = useTakeDocument(chosen);
  const upload = useFileUpload(chosen);
  const leave = useLeave(chosen);
  const keeping = useKeepOnDevice(undefined);
  const document = chosen.files[0];
  const parts = filePartsOf(chosen.files);

  const end = (interviewId: string, how: 'uploaded' | 'kept'): Ending => {
    upload.setStatus('done');
    leave(interviewId, how);
    return 'over';
  };
  const keep = async (): Promise<Ending> => {
    const { id } = await ensureId('plain');
    if (!(await keeping.keep(parts, id))) return 'failed';
    toast(texts.inOutbox);
    return end(id, 'kept');
  };
  const send = async (): Promise<Ending> => {
    const content = await ensureId('plain');
    const id = numericId(content.id);
    if (id === undefined) {
      if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
      holdParts(content.id, parts);
      await upload.keepLocally();
      toast({ ...texts.local, variant: 'caution' });
      return end(content.id, 'kept');
    }
    const { failed } = await upload.send(id);
    if (failed.length === 0) {
      toast({ ...texts.success, variant: 'good' });
      return end(content.id, 'uploaded');
    }
    if (failed.includes('aborted')) return 'over';
    toast({ ...failureMessage(failed), variant: 'destructive' });
    return failed.includes('unreachable') ? 'unreachable' : 'failed';
  };
  const guarded = (work: () => Promise<Ending>) => async (): Promise<Ending> => {
    upload.setStatus('preparing');
    const ending = await work().catch((error: unknown): Ending => {
      console.error('document: not uploaded', error instanceof Error ? error.name : '');
      toast({ ...fileTexts.uploadFailed, variant: 'destructive' });
      return error instanceof BackendError && error.kind === 'unreachable' ? 'unreachable' : 'failed';
    });
    upload.rest();
    return ending;
  };
  const backendStatus = useBackendStatus();
  const idle = upload.phase.status === 'idle' && document !== undefined;
  const attempts = useAttempts<void>({ backendStatus, idle, send: guarded(send) });
  const submit = () => {
    if (document === undefined) return toast({ ...texts.noFile, variant: 'destructive' });
    if (upload.phase.status !== 'done') void attempts.submit();
  };
  const remove = () => document !== undefined && chosen.remove(document.key);
  const onKeep = () => void attempts.attempt(undefined, guarded(keep));
  return {
    document,
    phase: upload.phase,
    status: backendStatus.status,
    take,
    remove,
    submit,
    cancel: upload.cancel,
    /** 'Auf diesem Gerät sichern', where it is of use now. */
    keeping: attempts.undelivered && document !== undefined ? { state: keeping.state, onKeep } : undefined,
  };
}

/** §5, D19: what is refused is told, what was chosen before stays. */
function useTakeDocument(chosen: ChosenFiles) {
  const { limits } = useBackend().config;
  const toast = useToast();
  return (files: readonly File[]) => {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1) return toast({ ...texts.tooMany, variant: 'destructive' });
    if (!ALLOWED.includes(typeOf(file))) return toast({ ...texts.wrongType, variant: 'destructive' });
    const problem = sizeProblem(file, 'document', limits);
    if (problem !== undefined) return toast({ ...sizeMessage(problem, limits), variant: 'destructive' });
    chosen.replace([file]);
  };
}

function useLeave(chosen: ChosenFiles) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const shown = useShown();
  return (interviewId: string, how: 'uploaded' | 'kept') => {
    store.keepDescribed(interviewId);
    if (!shown.current) return;
    const files = chosen.files.map(({ file }) => ({ path: file.name, type: file.type }));
    const state = { interviewId, uploadSuccess: how === 'uploaded', ...(how === 'uploaded' ? {} : { files }) };
    go({ to: 'thank-you', state });
  };
}

function failureMessage(failed: readonly BackendErrorKind[]) {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  if (failed.includes('refused')) return fileTexts.accessRestricted;
  return limitMessageOf(failed) ?? fileTexts.uploadFailed;
}
