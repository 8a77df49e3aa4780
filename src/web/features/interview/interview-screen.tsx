import { useMemo, useState, type ReactNode } from 'react';
import type { Topic } from '#contract/topics.ts';
import { useFlow } from '#web/submission/flow.ts';
import { interviewKeeper } from './kept-interview.ts';
import { NotesScreen } from './notes-screen.tsx';
import { TalkScreen } from './talk-screen.tsx';

/**
 * §2.5: notes first, then the screen on which the interview takes place; one that was not ended is there again at once.
 */
export function InterviewScreen({ topic, association }: Readonly<{ topic: Topic; association: string }>): ReactNode {
  const { area } = useFlow();
  const keeper = useMemo(() => interviewKeeper(area.id, topic), [area, topic]);
  const [read, setRead] = useState(() => keeper.read() !== undefined);
  if (!read) return <NotesScreen onRead={() => setRead(true)} />;
  return <TalkScreen keeper={keeper} topic={topic} association={association} onBack={() => setRead(false)} />;
}
