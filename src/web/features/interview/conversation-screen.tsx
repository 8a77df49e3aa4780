import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Topic } from '#contract/areas.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { useLeaveWarning } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button, type ButtonVariant } from '#web/ui/button.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { PencilLine } from '#web/ui/screen-icons.ts';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { AnswerField } from './controls.tsx';
import { addAnswers, hasAnswers } from './conversation/answers.ts';
import { getCorrected } from './conversation/dialogue.ts';
import { getMainButton } from './conversation/state.ts';
import type { KeptInterviewStore } from './kept-interview.ts';
import { StatusPanel } from './status-panel.tsx';
import { texts } from './texts.ts';
import { TranscriptPanel } from './transcript-panel.tsx';
import { type TranscriptEditor, useTranscriptEditor } from './use-transcript-editor.ts';
import { useInterviewIds } from './interview-ids.ts';
import { useInterview } from './use-interview.ts';
import { useSavedTranscript } from './use-saved-transcript.ts';

type ConversationScreenProps = Readonly<{
  topic: Topic;
  association: string;
  keptStore: KeptInterviewStore;
  onBack: () => void;
}>;

/** §2.5 and §4 'Voice interview connection'. */
export function ConversationScreen({ topic, association, keptStore, onBack }: ConversationScreenProps): ReactNode {
  const { go } = useFlow();
  const { store } = useSubmission();
  const step = useStep('conversation');
  const [kept] = useState(keptStore.read);
  const ids = useInterviewIds(topic, keptStore);
  const handle = useInterview({ subject: topic, ids, kept });
  const { interview, conversation, dialogue, answers, active } = handle;
  const { transcript } = dialogue;
  const lastingTranscript = dialogue.replaced?.transcript ?? transcript;
  const before = active ? (hasAnswers(answers) ? transcript : lastingTranscript) : getCorrected(dialogue);
  const complete = addAnswers(before, answers);
  const keeping = useKeepOnDevice(ids.known());
  const { saveState, isSaved, saveEdit } = useSavedTranscript({
    active,
    transcript: active ? lastingTranscript : transcript,
    complete,
    savedBefore: kept?.saved === true ? kept.transcript : '',
    ids,
    keeping,
  });
  const edit = (text: string): Promise<boolean> => {
    const saving = saveEdit(text);
    interview.edit(text);
    return saving;
  };
  const editor = useTranscriptEditor(handle, edit);
  useKeeping(keptStore, handle, { id: ids.known(), isSaved });
  const images = useRef<HTMLButtonElement>(null);
  const finished = conversation.status === 'ended' || (conversation.status === 'error' && transcript !== '');
  useFocusAfter(finished, images);
  useLeaveWarning(finished && transcript !== '');
  const leaveTo = (to: 'transcript-edit' | 'image-upload-after-voice'): void => {
    // After saving a correction both are newer than what is drawn.
    const latest = interview.snapshot();
    const text = addAnswers(getCorrected(latest.dialogue), latest.answers);
    // The next screen reads it before saving has begun.
    store.keepTranscript(text, ids.known());
    go({ to, state: { ...(to === 'transcript-edit' ? { transcript: text } : {}), interviewId: ids.known() } });
  };
  return (
    <FlowScreen
      step={step}
      title={texts.title(association)}
      lead={active || finished ? undefined : texts.headset}
      onBack={active ? undefined : () => editor.saveAndGo(onBack)}
      primary={
        finished ? (
          <ToImages button={images} editor={editor} onGo={() => leaveTo('image-upload-after-voice')} />
        ) : (
          <MainButton handle={handle} />
        )
      }
      secondary={finished ? <EditTranscript editor={editor} onGo={() => leaveTo('transcript-edit')} /> : undefined}
    >
      {conversation.status === 'error' && <ConnectionNotice handle={handle} code={conversation.code} />}
      <StatusPanel handle={handle} topic={texts.topics[topic]} />
      <TranscriptPanel handle={handle} editor={editor}>
        <AnswerField handle={handle} />
      </TranscriptPanel>
      {finished && (saveState === 'kept' || saveState === 'unsaved' || keeping.entry !== undefined) && (
        <KeepOnDevice
          state={keeping.state}
          onKeep={() => void keeping.keep([{ kind: 'transcript', text: complete }])}
          outboxHref="/ausgangskorb"
        />
      )}
      {!active && !finished && <TrustNote />}
      {!finished && <p className="text-center text-sm text-muted">{texts.followUpHint}</p>}
    </FlowScreen>
  );
}

/** Keeps the interview for a reload or a way back, from its first answer on. */
function useKeeping(
  keptStore: KeptInterviewStore,
  { conversation, dialogue: { transcript, replaced, draft }, answers, before }: ReturnType<typeof useInterview>,
  { id, isSaved }: Readonly<{ id: string | undefined; isSaved: boolean }>,
): void {
  useEffect(() => {
    if (!('way' in conversation) || conversation.status === 'connecting') return;
    keptStore.save({
      way: conversation.way,
      transcript: replaced?.transcript ?? transcript,
      interviewId: id,
      draft,
      answers,
      ended: conversation.status === 'ended',
      saved: isSaved,
      lengthMs: before,
    });
  }, [keptStore, conversation, transcript, replaced, draft, answers, before, id, isSaved]);
}

type MainButtonProps = Readonly<{ handle: ReturnType<typeof useInterview>; wide?: boolean; variant?: ButtonVariant }>;

/** One button whose label names its action (§4). After an error the notice has it instead. */
export function MainButton({ handle, wide = false, variant = 'primary' }: MainButtonProps): ReactNode {
  const { interview, conversation } = handle;
  if (conversation.status === 'error' || conversation.status === 'ended') return null;
  const { label, disabled, action } = getMainButton(conversation);
  const press = (): void => (action === 'end' ? interview.end() : void interview.start('voice'));
  return (
    <Button wide={wide} variant={action === 'end' ? 'danger' : variant} idle={disabled} onClick={press}>
      {label}
    </Button>
  );
}

type WayOn = Readonly<{ editor: TranscriptEditor; onGo: () => void }>;

function EditTranscript({ editor, onGo }: WayOn): ReactNode {
  return (
    <Button
      variant="secondary"
      icon={PencilLine}
      iconClass="size-5 max-sm:hidden"
      busy={editor.saving}
      onClick={() => editor.saveAndGo(onGo)}
    >
      {texts.edit}
    </Button>
  );
}

function ToImages({
  editor,
  onGo,
  button,
}: WayOn & Readonly<{ button: RefObject<HTMLButtonElement | null> }>): ReactNode {
  return (
    <Button
      ref={button}
      icon={ArrowRight}
      iconClass="size-5 max-sm:hidden"
      busy={editor.saving}
      busyLabel={texts.panel.saving}
      onClick={() => editor.saveAndGo(onGo)}
    >
      {texts.toImages}
    </Button>
  );
}
