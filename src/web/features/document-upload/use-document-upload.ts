import { useBackendConfig } from '#web/backend/client.ts';
import { DOCUMENT_TYPES, sizeProblem, getType } from '#web/submission/file-kind.ts';
import { describeUploadFailure, fileTexts, sizeMessage } from '#web/submission/texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { nameChosenFiles, useChosenFiles, type ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { judgeAllOrNothing, useFileSubmission } from '#web/submission/use-file-submission.ts';
import { useShown } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** §2.9, §5: one document by MIME type, then thank-you. */
export function useDocumentUpload() {
  const { ensureId } = useSubmission();
  const toast = useToast();
  const chosen = useChosenFiles('document-upload');
  const backendStatus = useBackendStatus();
  const submission = useFileSubmission({
    chosen,
    backendStatus,
    contentId: undefined,
    ensureId: () => ensureId('plain'),
    toast,
    messages: { inOutbox: texts.inOutbox, local: { ...texts.local, variant: 'caution' } },
    judge: (outcome) =>
      judgeAllOrNothing(outcome, texts.success, (failed) => describeUploadFailure(failed, fileTexts.uploadFailed)),
    leave: useLeave(chosen),
  });
  const document = chosen.files[0];
  return {
    ...submission,
    document,
    status: backendStatus.status,
    take: useTakeDocument(chosen),
    remove: () => document !== undefined && chosen.remove(document.key),
    submit: () =>
      document === undefined ? toast({ ...texts.noFile, variant: 'destructive' }) : void submission.submit(),
  };
}

/** §5, D19: says why a file is refused; the one chosen before stays. */
function useTakeDocument(chosen: ChosenFiles) {
  const { limits } = useBackendConfig();
  const toast = useToast();
  return (files: readonly File[]) => {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1) return toast({ ...texts.tooMany, variant: 'destructive' });
    const allowed = Object.values(DOCUMENT_TYPES).includes(getType(file));
    if (!allowed) return toast({ ...texts.wrongType, variant: 'destructive' });
    const problem = sizeProblem(file, 'document', limits);
    if (problem !== undefined) return toast({ ...sizeMessage(problem, limits), variant: 'destructive' });
    chosen.replace([file]);
  };
}

function useLeave({ files }: ChosenFiles) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const shown = useShown();
  return (interviewId: string, how: 'uploaded' | 'kept' | 'held') => {
    store.keepDescribed(interviewId);
    if (!shown.current) return;
    const arrived = how === 'uploaded';
    const state = { interviewId, uploadSuccess: arrived, ...(arrived ? {} : { files: nameChosenFiles(files) }) };
    go({ to: 'thank-you', state });
  };
}
