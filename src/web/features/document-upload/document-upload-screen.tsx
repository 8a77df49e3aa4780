import type { ReactNode } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { DOCUMENT_TYPES } from '#web/submission/file-kind.ts';
import { failureReason, inMegabytes } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { CancelUpload, UploadProgress } from '#web/submission/upload-view.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { texts } from './texts.ts';
import { useDocumentUpload } from './use-document-upload.ts';

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
