import { ArrowRight, PencilLine } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { Topic } from '#contract/topics.ts';
import { useFlow, type FlowState } from '#web/submission/flow.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { Button } from '#web/ui/button.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import type { InterviewKeeper } from './kept-interview.ts';
import { Stage } from './stage.tsx';
import { mainButton } from './talk/state.ts';
import { texts } from './texts.ts';
import { TranscriptPanel } from './transcript-panel.tsx';
import { useInterview } from './use-interview.ts';
import { useInterviewIds } from './use-interview-ids.ts';
import { useSavedTranscript } from './use-saved-transcript.ts';
import { WriteAnswer } from './write-answer.tsx';

type TalkScreenProps = Readonly<{ topic: Topic; association: string; keeper: InterviewKeeper; onBack: () => void }>;

/** §2.5 and §4 'Voice interview connection'. */
export function TalkScreen({ topic, association, keeper, onBack }: TalkScreenProps): ReactNode {
  const [kept] = useState(keeper.read);
  const ids = useInterviewIds(topic, kept?.interviewId);
  const handle = useInterview({ subject: topic, ids, kept });
  const { interview, talk, dialogue, active } = handle;
  const { transcript } = dialogue;
  const standing = dialogue.replaced ?? transcript;
  const keeping = useKeepOnDevice(ids.known());
  const whereabouts = useSavedTranscript({ active, transcript: active ? standing : transcript, ids, keeping });
  useEffect(() => {
    if (talk.status === 'ended') keeper.forget();
    else if (talk.status === 'connected' || talk.status === 'error') {
      keeper.keep({ way: talk.way, transcript: standing, interviewId: ids.known() });
    }
  }, [keeper, talk, standing, ids]);
  const finished = talk.status === 'ended' || (talk.status === 'error' && transcript !== '');
  return (
    <FlowScreen
      step={{ current: 3, total: 3, name: texts.step.talk }}
      title={texts.title(association)}
      lead={active || finished ? undefined : texts.headset}
      onBack={active ? undefined : onBack}
      primary={finished ? <ToImages id={ids.known()} leave={keeper.forget} /> : <MainButton handle={handle} />}
      secondary={
        finished ? <EditTranscript transcript={transcript} id={ids.known()} leave={keeper.forget} /> : undefined
      }
    >
      {talk.status === 'error' && <ConnectionNotice handle={handle} fault={talk.fault} />}
      <Stage handle={handle} topic={texts.topics[topic]} />
      <TranscriptPanel handle={handle} onEdit={(text) => interview.edit(text)}>
        {talk.status === 'connected' && <WriteAnswer onSend={(text) => interview.say(text)} />}
      </TranscriptPanel>
      {finished && (whereabouts === 'kept' || whereabouts === 'unsaved' || keeping.entry !== undefined) && (
        <KeepOnDevice
          state={keeping.state}
          onKeep={() => void keeping.keep([{ kind: 'transcript', text: transcript }])}
          outboxHref="/ausgangskorb"
        />
      )}
      {!finished && <p className="text-center text-sm text-muted">{texts.followUpHint}</p>}
    </FlowScreen>
  );
}

/** §4: one button, whose label says what it does now. After an error its place is in the notice. */
function MainButton({ handle }: Readonly<{ handle: ReturnType<typeof useInterview> }>): ReactNode {
  const { interview, talk } = handle;
  if (talk.status === 'error') return null;
  const { label, disabled, action } = mainButton(talk);
  const press = (): void => (action === 'end' ? interview.end() : void interview.start('voice'));
  return (
    <Button variant={action === 'end' ? 'danger' : 'primary'} disabled={disabled} onClick={press}>
      {label}
    </Button>
  );
}

/** Who goes on from here does not come back to this interview. */
type FollowUp = Readonly<{ id: string | undefined; leave: () => void }>;

function EditTranscript({ id, transcript, leave }: FollowUp & Readonly<{ transcript: string }>): ReactNode {
  const { go } = useFlow();
  return (
    <Button
      variant="secondary"
      icon={<PencilLine aria-hidden className="size-5 max-sm:hidden" />}
      onClick={() => {
        leave();
        go({ to: 'transcript-edit', state: { transcript, ...stateOf(id) } });
      }}
    >
      {texts.edit}
    </Button>
  );
}

function ToImages({ id, leave }: FollowUp): ReactNode {
  const { go } = useFlow();
  return (
    <Button
      icon={<ArrowRight aria-hidden className="size-5 max-sm:hidden" />}
      onClick={() => {
        leave();
        go({ to: 'image-upload-after-voice', state: stateOf(id) });
      }}
    >
      {texts.toImages}
    </Button>
  );
}

function stateOf(interviewId: string | undefined): FlowState {
  return interviewId === undefined ? {} : { interviewId };
}
