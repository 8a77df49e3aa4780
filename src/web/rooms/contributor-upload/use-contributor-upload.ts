import { useRef } from 'react';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import type { BackendStatus } from '#web/backend/status.ts';
import { fileTexts } from '#web/submission/file-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { holdFiles, releaseFiles } from '#web/submission/held-files.ts';
import { numericId } from '#web/submission/local-id.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useFileUpload, type UploadOutcome } from '#web/submission/use-file-upload.ts';
import { useShown } from '#web/submission/use-shown.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

type UploadDeps = Readonly<{
  chosen: ChosenFiles;
  status: BackendStatus;
  /** Of the contribution, where there is one already. */
  id: string | undefined;
  adopt: (id: string) => void;
}>;

/** §4 'Contributor upload'. A second submit meanwhile is ignored; what has arrived is not sent again. */
export function useContributorUpload({ chosen, status, id, adopt }: UploadDeps) {
  const { go } = useFlow();
  const { ensureId } = useSubmission();
  const toast = useToast();
  const upload = useFileUpload(chosen);
  const busy = useRef(false);
  const shown = useShown();
  const files = chosen.files.map(({ file }) => file);

  const leave = (interviewId: string | undefined, uploaded: boolean) => {
    if (!shown.current) return;
    const named = files.map((file) => ({ path: file.name, type: file.type }));
    go({
      to: 'thank-you',
      state: {
        ...(interviewId === undefined ? {} : { interviewId }),
        uploadSuccess: uploaded,
        ...(uploaded || named.length === 0 || numericId(interviewId) !== undefined ? {} : { files: named }),
      },
    });
  };
  const keep = async (interviewId: string) => {
    holdFiles(
      interviewId,
      chosen.files.filter(({ state }) => state !== 'done').map(({ file }) => file),
    );
    await upload.keepLocally();
    toast({ ...texts.local, variant: 'caution' });
  };
  const end = ({ stored, failed, left }: UploadOutcome, interviewId: string) => {
    const before = chosen.files.filter((file) => file.state === 'done').length;
    const arrived = stored.length + before;
    if (failed.length === 0) {
      releaseFiles();
      toast({ ...texts.success(arrived), variant: 'good' });
      return leave(interviewId, true);
    }
    holdFiles(interviewId, left);
    upload.setStatus('idle');
    const message = failureMessage(failed, stored.length, arrived, chosen.files.length);
    if (message !== undefined) toast({ ...message, variant: stored.length > 0 ? 'caution' : 'destructive' });
  };
  const run = async () => {
    const content = id === undefined ? await ensureId('plain') : { id, origin: 'session' as const };
    adopt(content.id);
    if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
    const number = numericId(content.id);
    if (number === undefined) {
      await keep(content.id);
      return leave(content.id, false);
    }
    if (status === 'unavailable') {
      await keep(content.id);
      return upload.setStatus('idle');
    }
    end(await upload.send(number), content.id);
  };
  const submit = async () => {
    if (busy.current) return;
    if (chosen.files.length === 0) return toast({ ...texts.noFiles, variant: 'destructive' });
    busy.current = true;
    upload.setStatus('preparing');
    try {
      await run();
    } catch (error) {
      console.error('contribution: not uploaded', error instanceof Error ? error.name : '');
      upload.setStatus('idle');
      toast({ ...fileTexts.uploadFailed, variant: 'destructive' });
    } finally {
      busy.current = false;
    }
  };
  return { phase: upload.phase, submit, cancel: upload.cancel, leave };
}

/** Nothing is said about an upload the user stopped. */
function failureMessage(failed: readonly BackendErrorKind[], stored: number, arrived: number, of: number) {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  if (failed.includes('refused')) return fileTexts.accessRestricted;
  if (failed.includes('aborted')) return undefined;
  return stored > 0 ? texts.partial(arrived, of) : texts.none;
}
