import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { CallerKeys } from '#http/caller.ts';
import { createRouteKind } from '#http/route.ts';
import type { VoiceEngine } from '#contract/voice.ts';
import type { Quota } from './access/quota.ts';
import type { Tickets } from './access/tickets.ts';
import type { VoiceActivity } from './audio/vad.ts';
import type { Clock } from './clock.ts';
import { VoiceError } from './errors.ts';
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

/** The handler checks the caller, after the body: an answer to a wrong body says so to every caller. */
export const voiceRoute = createRouteKind<VoiceContext, undefined>({
  caller: 'login, or interview key',
  admit: (_input, run) => run(undefined, {}),
  parseBody: (schema, body) => {
    const result = z.safeParse(schema, body);
    if (result.success) return result.data;
    throw new VoiceError('invalid', { cause: result.error });
  },
});
