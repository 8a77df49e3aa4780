import type { InterviewSnapshot } from './talk/interview.ts';

/** What the person is told about the state, in one word for texts and icons. */
export type Scene =
  | 'idle'
  | 'preparing'
  | 'connecting'
  | 'listening'
  | 'speaking'
  | 'muted'
  | 'writing'
  | 'ended'
  | 'error';

type Seen = Pick<InterviewSnapshot, 'talk' | 'agentSpeaks' | 'listens' | 'muted'>;

/** The microphone's state is never in doubt: whether somebody listens is said before who speaks. */
export function sceneOf({ talk, agentSpeaks, listens, muted }: Seen): Scene {
  if (talk.status !== 'connected') return talk.status;
  if (listens && muted) return 'muted';
  if (agentSpeaks) return 'speaking';
  return listens ? 'listening' : 'writing';
}
