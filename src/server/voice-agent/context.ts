import type { FastifyBaseLogger } from 'fastify';
import type { CallerKeys } from '#http/caller.ts';
import type { VoiceEngine } from '#contract/voice.ts';
import type { Quota } from './access/quota.ts';
import type { Tickets } from './access/tickets.ts';
import type { VoiceActivity } from './audio/vad.ts';
import type { Clock } from './clock.ts';
import type { ConversationRegistry } from './gateway/conversation-registry.ts';
import type { VoiceSettings } from './settings.ts';
import type { TurnStore } from './turns/store.ts';
import type { VoiceSession } from './session.ts';

/** What the routes of the voice agent share. */
export type VoiceContext = Readonly<{
  settings: VoiceSettings;
  transcriptMax: number;
  keys: CallerKeys;
  store: TurnStore;
  tickets: Tickets<VoiceSession>;
  quota: Quota;
  conversations: ConversationRegistry;
  /** Undefined where no engine needs it or this platform cannot run it. */
  activity: VoiceActivity | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}>;

/** Falls back to the browser where this platform cannot detect speech. */
export function chooseEngine(context: VoiceContext, planned: VoiceEngine): VoiceEngine {
  return planned === 'embedded' && context.activity === undefined ? 'browser' : planned;
}
