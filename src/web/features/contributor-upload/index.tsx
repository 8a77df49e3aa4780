import { type ReactNode, useState } from 'react';
import { PHOTO_EXTENSIONS, SHOWN_ID_LENGTH, VIDEO_EXTENSIONS } from '#contract/limits.ts';
import { getDataOwner } from '#web/backend/browser-storage.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import type { BackendStatus } from '#web/backend/status.ts';
import { ImageRightsQuestion } from '#web/submission/image-rights.tsx';
import { isLinked } from '#web/submission/keys.ts';
import { fileTexts } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { CancelUpload, ChosenFileList, UploadProgress } from '#web/submission/upload-view.tsx';
import { type BackendStatusHandle, useBackendStatus } from '#web/submission/use-backend-status.ts';
import { useUserId } from '#web/submission/use-user-id.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Mark } from '#web/ui/mark.tsx';
import { Notice, NoticeButton } from '#web/ui/notice.tsx';
import { LoadingScreen } from '#web/ui/state-screens.tsx';
import { texts } from './texts.ts';
import { useContribution } from './use-contribution.ts';
import { useContributorFiles, useContributorUpload } from './use-contributor-upload.ts';

// prettier-ignore
const ACCEPT = [
  'image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime', 'video/webm',
  ...PHOTO_EXTENSIONS, ...VIDEO_EXTENSIONS,
].join(',');

/** §2.10, with and without a login (D4, D9). */
export function ContributorUploadScreen(): ReactNode {
  const { contribution, mayStart, restart, adopt } = useContribution();
  const backendStatus = useBackendStatus();
  if (contribution.status === 'loading') return <LoadingScreen text={texts.loading} />;
  if (contribution.status === 'open')
    return <OpenContribution id={contribution.id} adopt={adopt} backendStatus={backendStatus} />;
  const refused = contribution.status === 'refused';
  const { title, text } = refused ? texts.refused : texts.closed;
  return (
    <FlowScreen title={texts.heading} lead={texts.lead} summary={<Sender id={contribution.id} />}>
      <Notice
        tone="caution"
        title={title}
        live
        action={
          refused && mayStart ? (
            <NoticeButton onClick={restart}>{texts.refused.uploadWithoutLink}</NoticeButton>
          ) : undefined
        }
      >
        {text}
      </Notice>
    </FlowScreen>
  );
}

type OpenProps = Readonly<{
  id: string | undefined;
  adopt: (id: string) => void;
  backendStatus: BackendStatusHandle;
}>;

function OpenContribution({ id, adopt, backendStatus }: OpenProps): ReactNode {
  const { limits } = useBackendConfig();
  const userId = useUserId();
  const [first] = useState(id);
  const { chosen, take } = useContributorFiles(first);
  const { phase, submit, cancel, skip, ...keeping } = useContributorUpload({ chosen, backendStatus, id, adopt });
  const busy = phase.status !== 'idle';
  const failed = chosen.files.some((file) => file.state === 'failed');
  const arrived = chosen.files.some((file) => file.state === 'done');
  // What a link no longer opens, it does not open later either.
  const hopeless = isLinked(id) && !arrived && chosen.files.some((file) => file.failure === 'refused');
  return (
    <FlowScreen
      title={texts.heading}
      lead={texts.lead}
      summary={<Sender id={id} />}
      secondary={
        <Button variant="quiet" disabled={busy} onClick={skip}>
          {busy ? texts.skipBusy : arrived ? texts.next : texts.skip}
        </Button>
      }
      primary={
        <Button busy={busy} busyLabel={texts.uploading} onClick={submit}>
          {failed ? texts.retryAll : texts.upload}
        </Button>
      }
    >
      {backendStatus.status !== 'checking' && <StatusNote status={backendStatus.status} />}
      <TrustNote />
      {userId === null && !isLinked(id) && getDataOwner() !== null && <Notice tone="caution">{texts.lostLogin}</Notice>}
      {!busy && (
        <Dropzone
          count={chosen.files.length}
          accept={ACCEPT}
          capture="environment"
          label={texts.choose}
          hint={texts.hint(limits)}
          onFiles={take}
        />
      )}
      {/* Below what is to be pressed, which then stays in its place. */}
      {backendStatus.status === 'checking' && <StatusNote status="checking" />}
      <UploadProgress phase={phase} localLabel={fileTexts.progress} />
      <ChosenFileList label={texts.selected} chosen={chosen} removable={busy ? 'fixed' : 'removable'} />
      <ImageRightsQuestion chosen={chosen} disabled={busy} />
      <CancelUpload phase={phase} onCancel={cancel} />
      {keeping.keepOffered && !busy && !hopeless && (
        <KeepOnDevice state={keeping.keepState} onKeep={keeping.keep} outboxHref="/ausgangskorb" />
      )}
    </FlowScreen>
  );
}

/** §2.10: a logo and the beginning of the id. */
function Sender({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  return (
    <p className="flex items-center gap-3">
      <Mark className="size-8" />
      <span>
        {texts.contentId}:{' '}
        <span className="tabular text-ink">{id === undefined ? texts.noId : `${id.slice(0, SHOWN_ID_LENGTH)}...`}</span>
      </span>
    </p>
  );
}

/** §2.10: when the storage is not ready. */
function StatusNote({ status }: Readonly<{ status: BackendStatus }>): ReactNode {
  if (status === 'ready') return null;
  const { title, text } = texts.status[status];
  return (
    <Notice tone={status === 'checking' ? 'info' : 'caution'} title={title} live>
      {text}
    </Notice>
  );
}
