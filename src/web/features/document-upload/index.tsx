import type { ReactNode } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { DOCUMENT_TYPES } from '#contract/media-uploads.ts';
import { getType, sizeProblem } from '#web/submission/file-kind.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { describeUploadFailure, failureReason, fileTexts, inMegabytes, sizeMessage } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { CancelUpload, UploadProgress } from '#web/submission/upload-view.tsx';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { type ChosenFiles, nameChosenFiles, useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { judgeAllOrNothing, useFileSubmission } from '#web/submission/use-file-submission.ts';
import { useShown } from '#web/submission/use-running-work.ts';
import { useSubmission, useUploadContribution } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

const ACCEPT = [...Object.values(DOCUMENT_TYPES), ...Object.keys(DOCUMENT_TYPES).map((name) => `.${name}`)].join(',');

/** §2.9 */
export function DocumentUploadScreen(): ReactNode {
  const { go } = useFlow();
  const step = useStep('document');
  const { limits } = useBackendConfig();
  const { document, phase, status, take, remove, submit, cancel, ...keeping } = useDocumentUpload();
  const busy = phase.status !== 'idle';
  return (
    <FlowScreen
      step={step}
      title={texts.heading}
      lead={texts.lead}
      onBack={busy ? undefined : () => go({ to: 'home' })}
      primary={
        <Button busy={busy} busyLabel={texts.uploading} onClick={submit}>
          {texts.upload}
        </Button>
      }
    >
      <TrustNote />
      <Dropzone
        accept={ACCEPT}
        count={document === undefined ? 0 : 1}
        multiple={false}
        disabled={busy}
        label={document === undefined ? texts.choose : texts.another}
        hint={texts.hint(limits.documentBytes)}
        onFiles={take}
      />
      {document !== undefined && (
        <ul aria-label={texts.selected}>
          <FileRow
            name={document.file.name}
            size={inMegabytes(document.file.size, 2)}
            state={document.state === 'uploading' ? 'waiting' : document.state}
            detail={document.failure === undefined ? undefined : failureReason(document.failure)}
            onRemove={busy ? undefined : remove}
          />
        </ul>
      )}
      <UploadProgress phase={phase} />
      <CancelUpload phase={phase} onCancel={cancel} />
      {status === 'unavailable' && !busy && (
        <Notice tone="caution" live>
          {texts.unavailable}
        </Notice>
      )}
      {keeping.undelivered && document !== undefined && !busy && (
        <KeepOnDevice state={keeping.keepState} onKeep={keeping.keep} outboxHref="/ausgangskorb" />
      )}
    </FlowScreen>
  );
}

/** §2.9, §5: one document by MIME type, then thank-you. */
function useDocumentUpload() {
  const { store } = useSubmission();
  const toast = useToast();
  const chosen = useChosenFiles('document-upload');
  const { ensureUploadId } = useUploadContribution(chosen);
  const backendStatus = useBackendStatus();
  const submission = useFileSubmission({
    chosen,
    backendStatus,
    contentId: undefined,
    ensureId: async () => {
      const content = await ensureUploadId('plain');
      store.markSending(content.id);
      return content;
    },
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
