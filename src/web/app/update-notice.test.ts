import { expect, it } from 'vitest';
import { decideUpdate } from './update-notice.tsx';

const table = [
  { waiting: false, screen: 'start', working: false, decision: 'none' },
  { waiting: true, screen: 'start', working: false, decision: 'apply' },
  { waiting: true, screen: 'dashboard', working: false, decision: 'apply' },
  { waiting: true, screen: 'start', working: true, decision: 'none' },
  { waiting: true, screen: 'login', working: false, decision: 'offer' },
  { waiting: true, screen: 'transcript-edit', working: false, decision: 'offer' },
  { waiting: true, screen: 'voice-message', working: true, decision: 'none' },
  { waiting: true, screen: undefined, working: false, decision: 'offer' },
] as const;

it.each(table)(
  'an update never breaks a submission: $screen, working $working → $decision',
  ({ decision, ...situation }) => {
    expect(decideUpdate(situation)).toBe(decision);
  },
);
