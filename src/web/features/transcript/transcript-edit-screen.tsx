import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { findRecording } from '#web/submission/files.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { isLocalId } from '#web/submission/local-id.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useLeaveWarning, useRunningWork } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import { useSubmitTranscript, useTranscriptDraft } from './use-submit-transcript.ts';

/** §2.7 */
export function TranscriptEditScreen(): ReactNode {
  const { go, state } = useFlow();
  const step = useStep('transcript');
  const { currentId, latestId } = useSubmission();
  const [first] = useState(currentId);
  const interviewId = first === undefined ? undefined : latestId(first);
  const draft = useTranscriptDraft(interviewId);
  const keeping = useKeepOnDevice(interviewId);
  const { saving, submit } = useSubmitTranscript(interviewId, keeping);
  const limit = useBackendConfig().limits.transcriptCharacters;
  useRunningWork(saving);
  useLeaveWarning(interviewId !== undefined);
  useEntryWarnings(draft.text, interviewId);
  if (draft.text === undefined) return null;

  const text = draft.text;
  const recording = findRecording(state.audioUrl);
  const tooLong = text.length > limit;
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !tooLong) void submit(text);
  };
  return (
    <FlowScreen
      step={step}
      title={texts.heading}
      lead={state.transcript === '' ? texts.leadEmpty : texts.lead}
      summary={<ContentId id={interviewId} />}
      onBack={() => go({ to: 'voice-message', state: interviewId === undefined ? {} : { interviewId } })}
      primary={
        <Button
          busy={saving}
          busyLabel={texts.saving}
          disabled={saving || tooLong || text.trim() === ''}
          onClick={() => void submit(text)}
        >
          {texts.next}
        </Button>
      }
    >
      {recording !== undefined && <KeptRecording recording={recording} />}
      <Field
        label={texts.label}
        error={tooLong ? texts.overLimit(limit) : undefined}
        aside={<span className="tabular text-sm text-muted">{texts.count(text.length, limit)}</span>}
      >
        <TextArea
          className="min-h-72 sm:min-h-96"
          placeholder={texts.placeholder}
          value={text}
          readOnly={saving}
          onChange={(event) => draft.change(event.target.value)}
          onKeyDown={submitByKey}
        />
      </Field>
      {interviewId !== undefined && (isLocalId(interviewId) || keeping.entry !== undefined) && (
        <KeepOnDevice
          state={keeping.state}
          onKeep={() => void keeping.keep(text.trim() === '' ? [] : [{ kind: 'transcript', text }])}
          outboxHref="/ausgangskorb"
        />
      )}
    </FlowScreen>
  );
}

function ContentId({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  return (
    <p>
      {id === undefined ? texts.noId.title : `${texts.contentId}: `}
      {id !== undefined && <span className="tabular break-all text-ink">{id}</span>}
    </p>
  );
}

/** §2.7, §5: without a transcript there is nothing to edit; without an id the user is warned and goes on. */
function useEntryWarnings(text: string | undefined, interviewId: string | undefined): void {
  const { area, go } = useFlow();
  const toast = useToast();
  const said = useRef(false);
  useEffect(() => {
    if (said.current) return;
    said.current = true;
    if (text === undefined) {
      toast({ ...texts.none, variant: 'caution' });
      go({ to: area.variant === 'test' ? 'voice-message' : 'modern-interview', replace: true });
    } else if (interviewId === undefined) {
      toast({ ...texts.noId, variant: 'caution' });
    }
  }, [text, interviewId, area, go, toast]);
}

/** To listen while correcting. */
function KeptRecording({ recording }: Readonly<{ recording: Blob }>): ReactNode {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">{texts.listen}</p>
      <Player kind="audio" src={recording} size={recording.size} name={texts.listen} />
    </div>
  );
}
