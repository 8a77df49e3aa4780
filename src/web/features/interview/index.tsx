import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Topic } from '#contract/areas.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Headphones, MessageCircleMore, PencilLine, Smartphone, VideoOff, Volume1 } from '#web/ui/screen-icons.ts';
import { useToast } from '#web/ui/toast.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { AnswerField } from './controls.tsx';
import { ConversationScreen, MainButton } from './conversation-screen.tsx';
import { addAnswers } from './conversation/answers.ts';
import { createKeptInterviewStore, hasAnswer, type KeptInterview } from './kept-interview.ts';
import { StatusPanel } from './status-panel.tsx';
import { texts } from './texts.ts';
import { TranscriptPanel } from './transcript-panel.tsx';
import { useTranscriptEditor } from './use-transcript-editor.ts';
import { useInterview } from './use-interview.ts';

/** §2.5: the notes first, then the interview, each from its top. No notes where there is one that is not handed in. */
export function InterviewScreen({ topic, association }: Readonly<{ topic: Topic; association: string }>): ReactNode {
  const { area } = useFlow();
  const { store, exchangeIfKnown } = useSubmission();
  const keptStore = useMemo(
    () => createKeptInterviewStore(area.id, topic, { store, exchangeIfKnown }),
    [area, topic, store, exchangeIfKnown],
  );
  const [read, setRead] = useState(() => keptStore.read() !== undefined);
  const turn = (hasRead: boolean): void => {
    setRead(hasRead);
    window.scrollTo(0, 0);
  };
  if (!read) return <NotesScreen onRead={() => turn(true)} />;
  return <ConversationScreen {...{ keptStore, topic, association }} onBack={() => turn(false)} />;
}

const ICONS = [Volume1, Headphones, VideoOff, MessageCircleMore, PencilLine, Smartphone];

function NotesScreen({ onRead }: Readonly<{ onRead: () => void }>): ReactNode {
  const { go } = useFlow();
  const step = useStep('notes');
  return (
    <FlowScreen
      step={step}
      title={texts.notes.title}
      lead={texts.notes.lead}
      onBack={() => go({ to: 'interview-category' })}
      primary={<Button onClick={onRead}>{texts.notes.confirm}</Button>}
    >
      <ul className="grid gap-x-8 sm:grid-cols-2">
        {texts.notes.list.map((note, index) => {
          const Icon = ICONS[index] ?? Volume1;
          return (
            <li key={note.title} className="flex gap-4 border-t border-line py-4">
              <Icon className="mt-0.5 size-6 shrink-0 text-accent-ink" />
              <div>
                <p className="font-medium">{note.title}</p>
                <p className="text-muted">{note.text}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </FlowScreen>
  );
}

type DescriptionInterviewProps = Readonly<{
  kind: 'image' | 'video';
  /** What was said in an earlier visit of the screen; it is shown as an ended interview. */
  transcript: string;
  /** Creates the contribution if needed (§4). */
  ensureInterviewId: () => Promise<string>;
  /**
   * Called when an interview with an answer ends or is left, and with every correction of its transcript afterwards,
   * saved or not; '' while the text has been emptied.
   */
  onCompleted: (transcript: string) => void;
}>;

/** §2.9: the short interview about a picture or video, inside the screen of another feature. */
export function DescriptionInterview(props: DescriptionInterviewProps): ReactNode {
  const { kind } = props;
  const toast = useToast();
  const latest = useLatest(props);
  const ids = useMemo(() => {
    const made = new Map<'id', string>();
    return {
      known: () => made.get('id'),
      ensure: async () => {
        const id = made.get('id') ?? (await latest.current.ensureInterviewId().catch(() => undefined));
        if (id !== undefined) made.set('id', id);
        return id;
      },
    };
  }, [latest]);
  const [kept] = useState(() => toKept(props.transcript));
  const handle = useInterview({ subject: 'media-description', ids, context: texts.description.context[kind], kept });
  const { interview, conversation, dialogue, answers, active } = handle;
  const { transcript, draft = transcript } = dialogue;
  useEffect(() => {
    if (active || !(hasAnswer(transcript) || hasAnswer(draft))) return;
    latest.current.onCompleted(hasAnswer(draft) ? draft.trim() : '');
  }, [active, transcript, draft, latest]);
  const said = useLatest(addAnswers(active || draft.trim() === '' ? transcript : draft, answers));
  useEffect(() => () => void (hasAnswer(said.current) && latest.current.onCompleted(said.current)), [said, latest]);
  const again = useRef<HTMLButtonElement>(null);
  useFocusAfter(conversation.status === 'ended', again);
  /** The text goes into the draft of the screen around it, which sends it with the file. */
  const edit = async (text: string): Promise<boolean> => {
    interview.edit(text);
    toast({ ...texts.edited, variant: 'good' });
    return true;
  };
  const editor = useTranscriptEditor(handle, edit);
  return (
    <div className="flex flex-col gap-6">
      {conversation.status === 'error' && <ConnectionNotice handle={handle} code={conversation.code} />}
      <StatusPanel handle={handle} topic={undefined} again={again} />
      <MainButton handle={handle} wide variant="secondary" />
      <TranscriptPanel handle={handle} editor={editor}>
        <AnswerField handle={handle} />
      </TranscriptPanel>
    </div>
  );
}

function toKept(transcript: string): KeptInterview | undefined {
  if (transcript.trim() === '') return undefined;
  return { way: 'voice', transcript, ended: true, saved: false, lengthMs: 0 };
}

/** Keeps the interview stable while callbacks change with every render. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
