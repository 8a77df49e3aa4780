import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { CallerKeys } from '#http/caller.ts';
import { createRouteKind } from '#http/route.ts';
import type { AreaId } from '#contract/areas.ts';
import type { InterviewSubject, VoiceEngine } from '#contract/voice.ts';
import type { Quota } from './access/quota.ts';
import type { Tickets } from './access/tickets.ts';
import type { VoiceActivity } from './audio/vad.ts';
import type { Clock } from './clock.ts';
import { VoiceError } from './errors.ts';
import type { ConversationRegistry } from './gateway/conversation-registry.ts';
import type { LocalTranscription } from './services.ts';
import { planEngine, type VoiceSettings } from './settings.ts';
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
  /** Loads the detector for the first conversation that needs it; undefined where this platform cannot run it. */
  openActivity: () => Promise<VoiceActivity | undefined>;
  /** Undefined where a service transcribes. */
  local: LocalTranscription | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}>;

/** Falls back to the browser where this platform cannot detect speech. */
export async function chooseEngine(
  { settings, local, openActivity }: VoiceContext,
  { area, topic }: Readonly<{ area: AreaId; topic: InterviewSubject }>,
): Promise<VoiceEngine> {
  const planned = planEngine(settings, area, topic, (await local?.isInstalled()) ?? false);
  return planned === 'embedded' && (await openActivity()) === undefined ? 'browser' : planned;
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
