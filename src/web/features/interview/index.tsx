import { useMemo, useState, type ReactNode } from 'react';
import type { Topic } from '#contract/areas.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { createKeptInterviewStore } from './kept-interview.ts';
import { ConversationScreen } from './conversation-screen.tsx';
import { Headphones, MessageCircleMore, PencilLine, Smartphone, VideoOff, Volume1 } from '#web/ui/screen-icons.ts';
import { Button } from '#web/ui/button.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { texts } from './texts.ts';

/**
 * §2.5: the notes first, then the interview. Skips the notes for an interview that was not ended.
 */
export function InterviewScreen({ topic, association }: Readonly<{ topic: Topic; association: string }>): ReactNode {
  const { area } = useFlow();
  const keptStore = useMemo(() => createKeptInterviewStore(area.id, topic), [area, topic]);
  const [read, setRead] = useState(() => keptStore.read() !== undefined);
  if (!read) return <NotesScreen onRead={() => setRead(true)} />;
  return (
    <ConversationScreen keptStore={keptStore} topic={topic} association={association} onBack={() => setRead(false)} />
  );
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
              <Icon aria-hidden className="mt-0.5 size-6 shrink-0 text-accent-ink" />
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
