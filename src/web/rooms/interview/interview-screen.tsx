import { useState, type ReactNode } from 'react';
import type { Topic } from '#contract/topics.ts';
import { NotesScreen } from './notes-screen.tsx';
import { TalkScreen } from './talk-screen.tsx';

/** §2.5: notes first, then the screen on which the interview takes place. */
export function InterviewScreen({ topic, association }: Readonly<{ topic: Topic; association: string }>): ReactNode {
  const [read, setRead] = useState(false);
  if (!read) return <NotesScreen onRead={() => setRead(true)} />;
  return <TalkScreen topic={topic} association={association} onBack={() => setRead(false)} />;
}
