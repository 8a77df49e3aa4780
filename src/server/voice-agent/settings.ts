import type { AreaId } from '#contract/areas.ts';
import type { InterviewSubject, VoiceEngine } from '#contract/voice.ts';
import type { Env } from '../env.ts';
import { readLanguageModel } from '../language-model.ts';
import { resolveEndpoint, type Service } from '../service-request.ts';

export type TranscriptionService = Service & Readonly<{ header: 'authorization' | 'api-key' }>;
export type TtsService = Service & Readonly<{ voice: string; sampleRate: Env['TTS_SAMPLE_RATE'] }>;

export type HostedService = Readonly<{
  url: string;
  key: string;
  /** Agent by `area/topic`, `topic` or `*`, looked up in this order. */
  agents: Readonly<Record<string, string>>;
}>;

/** Limits of conversations. Times in ms. */
export type VoiceLimits = Readonly<{
  ticketMs: number;
  firstMessageMs: number;
  metadataMs: number;
  idleMs: number;
  /** Time without a frame or an answer to a ping. */
  lostMs: number;
  /** Time between two checks of the login's rights. */
  rightsMs: number;
  lengthMs: number;
  sessionsPerUser: number;
  /** For guests from one network: an IPv4 address, or the /64 of an IPv6 address. */
  guestSessionsPerNetwork: number;
  /** Share of all sessions and minutes that guests cannot use. */
  membersShare: number;
  /** Total of all users; further starts are refused. */
  sessions: number;
  minutesPerDay: number;
  /** Counted as base64. */
  audioBytesPerMinute: number;
  messagesPerSecond: number;
}>;

type Configured = 'sessions' | 'sessionsPerUser' | 'guestSessionsPerNetwork' | 'minutesPerDay';

export const VOICE_LIMITS: Omit<VoiceLimits, Configured> = {
  ticketMs: 60_000,
  firstMessageMs: 10_000,
  metadataMs: 10_000,
  idleMs: 180_000,
  lostMs: 30_000,
  rightsMs: 30_000,
  lengthMs: 15 * 60_000,
  membersShare: 0.25,
  // 48 kHz, 16 bit is 7.7 MB a minute in base64: enough for a network that catches up, too little for a flood.
  audioBytesPerMinute: 16_000_000,
  messagesPerSecond: 100,
};

export function readVoiceSettings(env: Env) {
  return {
    hosted: readHostedService(env),
    transcription:
      env.TRANSCRIPTION_URL === undefined
        ? undefined
        : {
            url: resolveEndpoint(env.TRANSCRIPTION_URL, '/audio/transcriptions'),
            key: env.TRANSCRIPTION_KEY,
            model: env.TRANSCRIPTION_MODEL,
            header: env.TRANSCRIPTION_AUTH_HEADER,
          },
    tts:
      env.TTS_URL === undefined
        ? undefined
        : {
            url: resolveEndpoint(env.TTS_URL, '/audio/speech'),
            key: env.TTS_KEY,
            model: env.TTS_MODEL,
            voice: env.TTS_VOICE,
            sampleRate: env.TTS_SAMPLE_RATE,
          },
    llm: readLanguageModel(env),
    /** Further origins from which a browser may connect. */
    origins: env.VOICE_ORIGINS,
    publicUrl: env.PUBLIC_URL,
    limits: {
      ...VOICE_LIMITS,
      sessions: env.VOICE_SESSIONS,
      sessionsPerUser: env.VOICE_SESSIONS_PER_USER,
      guestSessionsPerNetwork: env.VOICE_SESSIONS_PER_ADDRESS,
      minutesPerDay: env.VOICE_MINUTES_PER_DAY,
    },
  };
}

export type VoiceSettings = ReturnType<typeof readVoiceSettings>;

function readHostedService(env: Env): HostedService | undefined {
  if (env.VOICE_AGENT_URL === undefined || env.VOICE_AGENT_KEY === undefined) return undefined;
  return { url: env.VOICE_AGENT_URL, key: env.VOICE_AGENT_KEY, agents: env.VOICE_AGENT_IDS };
}

export function findAgent(
  service: HostedService | undefined,
  area: AreaId,
  topic: InterviewSubject,
): string | undefined {
  return service?.agents[`${area}/${topic}`] ?? service?.agents[topic] ?? service?.agents['*'];
}

/** What the configuration allows. `hasModel`: a model on this machine transcribes. */
export function findConfiguredEngine(
  settings: VoiceSettings,
  area: AreaId,
  topic: InterviewSubject,
  hasModel: boolean,
): VoiceEngine {
  if (findAgent(settings.hosted, area, topic) !== undefined) return 'hosted';
  return settings.transcription === undefined && !hasModel ? 'browser' : 'embedded';
}

/** Whether an interview by this engine asks a service that may cost money; a model on this machine does not. */
export function usesPaidService({ transcription, tts, llm }: VoiceSettings, engine: VoiceEngine): boolean {
  if (engine === 'hosted' || llm !== undefined) return true;
  return engine === 'embedded' && (transcription !== undefined || tts !== undefined);
}

/** The kind of engine that /health reports. */
export function getVoiceHealth(env: Env, hasModel: boolean): 'hosted' | 'embedded' | 'text' {
  const settings = readVoiceSettings(env);
  if (settings.hosted !== undefined) return 'hosted';
  return settings.transcription === undefined && !hasModel ? 'text' : 'embedded';
}
