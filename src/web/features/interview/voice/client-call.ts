import type { DisconnectionDetails, PartialOptions, TextConversation, VoiceConversation } from '@elevenlabs/client';
import { type VoiceTicket, SET_W_ANSWER_TOOL, VOICE_CLOSE } from '#contract/voice.ts';
import { createEventBuffer, type Call, type CallEnd } from './call.ts';
import { loadClient, WORKLET_PATHS, resolveWorklet } from './client.ts';
import { guardStart, type StartPage } from './start-guard.ts';

export type ClientCallOptions = Readonly<{
  ticket: VoiceTicket;
  /** Without microphone and sound. */
  textOnly: boolean;
  inputId: string | undefined;
  signal: AbortSignal;
}>;

/** §9: a quarter of a second of 16 kHz are 4000 samples. */
const INPUT_CHUNK_MS = 250;

type EventBuffer = ReturnType<typeof createEventBuffer>;

/**
 * Starts a conversation through the official client. Rejects with the error of the browser or the client, or with the
 * signal's reason, after closing everything. From here on the client opens the microphone and sends `user_audio_chunk`;
 * the next code of ours is the server's `gateway/conversation.ts`.
 */
export async function startClientCall(options: ClientCallOptions): Promise<Call> {
  const { Conversation } = await loadClient();
  const buffer = createEventBuffer();
  const state = { lost: false, release: (): void => undefined };
  const watch = watchLine(window, () => {
    state.lost = true;
    void conversation.endSession();
  });
  const { value: conversation, release } = await guardStart<TextConversation | VoiceConversation>({
    page: browserPage(),
    signal: options.signal,
    resolveWorklet,
    onMicrophoneLost: () => buffer.report((events) => events.onMicrophoneLost()),
    onMicrophoneMuted: (muted) => buffer.report((events) => events.onMicrophoneMuted(muted)),
    undo: (late) => void late.endSession(),
    start: () => Conversation.startSession(sessionOptions(options, { buffer, watch, state })),
  }).catch((error: unknown) => {
    watch.stop();
    throw error;
  });
  state.release = release;
  return createCall(conversation, buffer, release);
}

type Hooks = Readonly<{ buffer: EventBuffer; watch: LineWatch; state: { lost: boolean; release: () => void } }>;

function sessionOptions({ ticket, textOnly, inputId }: ClientCallOptions, hooks: Hooks): PartialOptions {
  const { buffer, watch, state } = hooks;
  return {
    signedUrl: ticket.signedUrl,
    textOnly,
    overrides: { agent: { language: 'de' } },
    workletPaths: WORKLET_PATHS,
    inputChunkDurationMs: INPUT_CHUNK_MS,
    // The default on Android is 3 s, with the microphone open.
    connectionDelay: { default: 0, android: 0 },
    useWakeLock: false,
    ...(inputId === undefined ? {} : { inputDeviceId: inputId }),
    // The server stores the answer; the client must confirm the tool.
    clientTools: { [SET_W_ANSWER_TOOL]: () => 'ok' },
    onMessage: ({ role, message, event_id }) =>
      buffer.report((events) => events.onTurn({ speaker: role, text: message, eventId: event_id })),
    onAgentResponseCorrection: ({ original_agent_response, corrected_agent_response }) =>
      buffer.report((events) => events.onCorrection(original_agent_response, corrected_agent_response)),
    onModeChange: ({ mode }) => buffer.report((events) => events.onSpeaking(mode === 'speaking')),
    onIncomingEvent: (event: unknown) => {
      watch.noteMessage();
      const tentative = readTentative(event);
      if (tentative !== undefined) buffer.report((events) => events.onTentative(tentative));
    },
    onError: (message) => console.warn('voice agent', message),
    onStatusChange: ({ status }) => {
      // The client releases the microphone last; §4 requires it at once.
      if (status === 'disconnecting') state.release();
    },
    onDisconnect: (details) => {
      watch.stop();
      state.release();
      const end = toCallEnd(details, state.lost);
      buffer.report((events) => events.onEnd(end));
    },
  };
}

function toCallEnd(details: DisconnectionDetails, lost: boolean): CallEnd {
  if (details.reason !== 'error') return lost ? { by: 'lost', closeCode: undefined } : { by: details.reason };
  // The client then closes by itself, before the server's close has come.
  const isTooLong = details.context.type === 'max_duration_exceeded';
  const { closeCode, closeReason } = details;
  return { by: 'lost', closeCode: isTooLong ? VOICE_CLOSE.policy : closeCode, closeReason };
}

function createCall(
  conversation: TextConversation | VoiceConversation,
  buffer: EventBuffer,
  release: () => void,
): Call {
  const voice = conversation.type === 'voice' ? conversation : undefined;
  const ifOpen = (send: () => void): void => {
    if (conversation.isOpen()) send();
  };
  return {
    conversationId: conversation.getId(),
    microphoneOpen: voice !== undefined,
    speaks: voice !== undefined,
    subscribe: buffer.subscribe,
    say: (text) => ifOpen(() => conversation.sendUserMessage(text)),
    noteTyping: () => ifOpen(() => conversation.sendUserActivity()),
    rate: (liked, eventId) => ifOpen(() => conversation.sendFeedback(liked, eventId)),
    mute: (muted) => voice?.setMicMuted(muted),
    setVolume: (volume) => voice?.setVolume({ volume }),
    useInput: async (id) =>
      voice?.changeInputDevice({
        format: 'pcm',
        sampleRate: 16_000,
        ...(id === undefined ? {} : { inputDeviceId: id }),
      }),
    levels: () => ({ input: conversation.getInputVolume(), output: conversation.getOutputVolume() }),
    end: () => {
      release();
      void conversation.endSession();
    },
  };
}

function readTentative(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('tentative_user_transcription_event' in event)) return undefined;
  const inner = event.tentative_user_transcription_event;
  if (typeof inner !== 'object' || inner === null || !('user_transcript' in inner)) return undefined;
  return typeof inner.user_transcript === 'string' ? inner.user_transcript : undefined;
}

function browserPage(): StartPage {
  return {
    media: 'mediaDevices' in navigator ? navigator.mediaDevices : undefined,
    sockets: globalThis,
    worklets: 'AudioWorklet' in globalThis ? AudioWorklet.prototype : undefined,
  };
}

/** The server pings every 5 s; a line silent for this long is dead. */
const SILENCE_MS = 20_000;

/** Limit while the browser is offline: one ping may still be on its way. */
const OFFLINE_SILENCE_MS = 6_000;

/**
 * Detects a dead line, which a socket notices only after minutes with an open microphone. Starts with the first
 * message.
 */
export function watchLine(page: Pick<Window, 'addEventListener' | 'removeEventListener'>, onDead: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stop();
      onDead();
    }, ms);
  };
  const offline = (): void => {
    if (timer !== undefined) wait(OFFLINE_SILENCE_MS);
  };
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    page.removeEventListener('offline', offline);
  };
  page.addEventListener('offline', offline);
  return { noteMessage: (): void => wait(SILENCE_MS), stop };
}

type LineWatch = ReturnType<typeof watchLine>;
