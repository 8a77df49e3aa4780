import { useEffect, useMemo, useRef, type ReactNode, type RefObject } from 'react';
import { parseTurns } from '#contract/transcript.ts';
import { Button } from '#web/ui/button.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import { useToast } from '#web/ui/toast.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { StatusPanel } from './status-panel.tsx';
import { getMainButton } from './conversation/state.ts';
import { texts } from './texts.ts';
import { TranscriptPanel } from './transcript-panel.tsx';
import { useInterview } from './use-interview.ts';
import { WriteAnswer } from './write-answer.tsx';

export type DescriptionInterviewProps = Readonly<{
  kind: 'image' | 'video';
  /** Creates the contribution if needed (§4). */
  ensureInterviewId: () => Promise<string>;
  /** Called when an interview with an answer ends or is left, and when its transcript is edited afterwards. */
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
  const handle = useInterview({ subject: 'media-description', ids, context: texts.description.context[kind] });
  const { interview, conversation, dialogue, active } = handle;
  const { transcript } = dialogue;
  useEffect(() => {
    if (!active && hasAnswer(transcript)) latest.current.onCompleted(transcript);
  }, [active, transcript, latest]);
  const said = useLatest(active ? transcript : '');
  useEffect(() => () => void (hasAnswer(said.current) && latest.current.onCompleted(said.current)), [said, latest]);
  const again = useRef<HTMLButtonElement>(null);
  useFocusAfter(conversation.status === 'ended', again);
  const { label, disabled, action } = getMainButton(conversation);
  const press = (): void => (action === 'end' ? interview.end() : void interview.start('voice'));
  /** The text goes into the draft of the screen around it, which sends it with the file. */
  const edit = async (text: string): Promise<boolean> => {
    interview.edit(text);
    toast({ ...texts.edited, variant: 'good' });
    return true;
  };
  return (
    <div className="flex flex-col gap-6">
      {conversation.status === 'error' && <ConnectionNotice handle={handle} code={conversation.code} />}
      <StatusPanel handle={handle} topic={undefined} again={again} />
      {conversation.status !== 'error' && conversation.status !== 'ended' && (
        <Button wide variant={action === 'end' ? 'danger' : 'secondary'} disabled={disabled} onClick={press}>
          {label}
        </Button>
      )}
      <TranscriptPanel handle={handle} onEdit={edit}>
        {conversation.status === 'connected' && <WriteAnswer onSend={(text) => interview.say(text)} />}
      </TranscriptPanel>
    </div>
  );
}

function hasAnswer(transcript: string): boolean {
  return parseTurns(transcript).some((turn) => turn.speaker === 'user');
}

/** Keeps the interview stable while callbacks change with every render. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
