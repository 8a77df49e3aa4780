import type { FastifyBaseLogger } from 'fastify';
import type { CallerKeys } from '#http/caller.ts';
import type { VoiceEngine } from '#contract/voice.ts';
import type { Quota } from './access/quota.ts';
import type { Tickets } from './access/tickets.ts';
import type { VoiceActivity } from './audio/vad.ts';
import type { Clock } from './clock.ts';
import type { Conversations } from './gateway/conversations.ts';
import type { VoiceSettings } from './settings.ts';
import type { TurnStore } from './turns/store.ts';
import type { Visit } from './visit.ts';

/** What the routes of this room share. */
export type Room = Readonly<{
  settings: VoiceSettings;
  transcriptMax: number;
  keys: CallerKeys;
  store: TurnStore;
  tickets: Tickets<Visit>;
  quota: Quota;
  conversations: Conversations;
  /** Undefined where nothing needs it, or this platform cannot run it. */
  activity: VoiceActivity | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}>;

/** The engine for an interview here and now. */
export function engineOf(room: Room, planned: VoiceEngine): VoiceEngine {
  return planned === 'embedded' && room.activity === undefined ? 'browser' : planned;
}
