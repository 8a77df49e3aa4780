import { useRef } from 'react';
import { useBackend } from '#web/backend/client.ts';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import { DOCUMENT_TYPES, sizeProblem, typeOf } from '#web/submission/file-kind.ts';
import { fileTexts, sizeMessage } from '#web/submission/file-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';
import { useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useFileUpload } from '#web/submission/use-file-upload.ts';
import { useShown } from '#web/submission/use-shown.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

const ALLOWED = Object.values(DOCUMENT_TYPES);

/** §2.9, §5: one document by MIME type, then thank-you. A second submit meanwhile is ignored. */
export function useDocumentUpload() {
  const { limits } = useBackend().config;
  const { go } = useFlow();
  const { store, ensureId } = useSubmission();
  const toast = useToast();
  const chosen = useChosenFiles();
  const upload = useFileUpload(chosen);
  const busy = useRef(false);
  const shown = useShown();
  const document = chosen.files[0];

  const take = (files: readonly File[]) => {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1) return toast({ ...texts.tooMany, variant: 'destructive' });
    if (!ALLOWED.includes(typeOf(file))) return toast({ ...texts.wrongType, variant: 'destructive' });
    const problem = sizeProblem(file, 'document', limits);
    if (problem !== undefined) return toast({ ...sizeMessage(problem, limits), variant: 'destructive' });
    chosen.replace([file]);
  };
  const send = async (file: File) => {
    const content = await ensureId('plain');
    const id = numericId(content.id);
    if (id === undefined) {
      if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
      await upload.keepLocally();
      toast({ ...texts.local, variant: 'caution' });
    } else {
      const { failed } = await upload.send(id);
      if (failed.length > 0) {
        upload.setStatus('idle');
        if (!failed.includes('aborted')) toast({ ...failureMessage(failed), variant: 'destructive' });
        return;
      }
      toast({ ...texts.success, variant: 'good' });
    }
    store.keepDescribed(content.id);
    upload.setStatus('done');
    if (!shown.current) return;
    const files = [{ path: file.name, type: file.type }];
    const uploadSuccess = id !== undefined;
    go({ to: 'thank-you', state: { interviewId: content.id, uploadSuccess, ...(uploadSuccess ? {} : { files }) } });
  };
  const submit = async () => {
    if (busy.current || upload.phase.status === 'done') return;
    if (document === undefined) return toast({ ...texts.noFile, variant: 'destructive' });
    busy.current = true;
    upload.setStatus('preparing');
    try {
      await send(document.file);
    } catch (error) {
      console.error('document: not uploaded', error instanceof Error ? error.name : '');
      upload.setStatus('idle');
      toast({ ...fileTexts.uploadFailed, variant: 'destructive' });
    } finally {
      busy.current = false;
    }
  };
  const remove = () => document !== undefined && chosen.remove(document.key);
  return { document, phase: upload.phase, take, remove, submit, cancel: upload.cancel };
}

function failureMessage(failed: readonly BackendErrorKind[]) {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  return failed.includes('refused') ? fileTexts.accessRestricted : fileTexts.uploadFailed;
}
