import type { PartialOptions, TextConversation, VoiceConversation } from '@elevenlabs/client';
import type { VoiceTicket } from '#contract/voice.ts';
import { SET_W_ANSWER_TOOL } from '#contract/voice.ts';
import { heldEvents, type Call, type CallEnd } from './call.ts';
import { loadClient, WORKLET_PATHS, workletAddress } from './client.ts';
import { watchLine, type LineWatch } from './line-watch.ts';
import { guardStart, type StartPage } from './start-guard.ts';

export type ClientCallOptions = Readonly<{
  ticket: VoiceTicket;
  /** Nothing is recorded and nothing played: a conversation in writing. */
  textOnly: boolean;
  inputId: string | undefined;
  signal: AbortSignal;
}>;

/** §9: a quarter of a second of 16 kHz are 4000 samples. */
const INPUT_CHUNK_MS = 250;

type Held = ReturnType<typeof heldEvents>;

/**
 * A conversation through the official client. Rejects with what the browser or the client threw, or with the signal's
 * reason; nothing stays open then.
 */
export async function startClientCall(options: ClientCallOptions): Promise<Call> {
  const { Conversation } = await loadClient();
  const held = heldEvents();
  const state = { lost: false, release: (): void => undefined };
  const watch = watchLine(window, () => {
    state.lost = true;
    void conversation.endSession();
  });
  const { value: conversation, release } = await guardStart<TextConversation | VoiceConversation>({
    page: browserPage(),
    signal: options.signal,
    workletAddress,
    undo: (late) => void late.endSession(),
    start: () => Conversation.startSession(sessionOptions(options, { held, watch, state })),
  }).catch((error: unknown) => {
    watch.stop();
    throw error;
  });
  state.release = release;
  return callOf(conversation, held, release);
}

type Hooks = Readonly<{ held: Held; watch: LineWatch; state: { lost: boolean; release: () => void } }>;

function sessionOptions({ ticket, textOnly, inputId }: ClientCallOptions, hooks: Hooks): PartialOptions {
  const { held, watch, state } = hooks;
  return {
    signedUrl: ticket.signedUrl,
    textOnly,
    overrides: { agent: { language: 'de' } },
    workletPaths: WORKLET_PATHS,
    inputChunkDurationMs: INPUT_CHUNK_MS,
    // Three seconds on Android by default; the microphone is open by then.
    connectionDelay: { default: 0, android: 0 },
    useWakeLock: false,
    ...(inputId === undefined ? {} : { inputDeviceId: inputId }),
    // The server keeps the answer; the client has to confirm that it knows the tool.
    clientTools: { [SET_W_ANSWER_TOOL]: () => 'ok' },
    onMessage: ({ role, message, event_id }) =>
      held.report((events) => events.onTurn({ speaker: role, text: message, eventId: event_id })),
    onAgentResponseCorrection: ({ original_agent_response, corrected_agent_response }) =>
      held.report((events) => events.onCorrection(original_agent_response, corrected_agent_response)),
    onModeChange: ({ mode }) => held.report((events) => events.onSpeaking(mode === 'speaking')),
    onIncomingEvent: (event: unknown) => {
      watch.sign();
      const tentative = tentativeOf(event);
      if (tentative !== undefined) held.report((events) => events.onTentative(tentative));
    },
    onError: (message) => console.warn('voice agent', message),
    onStatusChange: ({ status }) => {
      // The client lets go of the microphone only after everything else; §4 wants it at once.
      if (status === 'disconnecting') state.release();
    },
    onDisconnect: (details) => {
      watch.stop();
      state.release();
      const end = endOf(details, state.lost);
      held.report((events) => events.onEnd(end));
    },
  };
}

function endOf(
  details: Readonly<{ reason: 'user' | 'agent' | 'error'; closeCode?: number | undefined }>,
  lost: boolean,
): CallEnd {
  if (lost || details.reason === 'error') return { by: 'lost', closeCode: details.closeCode };
  return { by: details.reason };
}

function callOf(conversation: TextConversation | VoiceConversation, held: Held, release: () => void): Call {
  const voice = conversation.type === 'voice' ? conversation : undefined;
  return {
    conversationId: conversation.getId(),
    listens: voice !== undefined,
    speaks: voice !== undefined,
    listen: held.listen,
    say: (text) => {
      if (conversation.isOpen()) conversation.sendUserMessage(text);
    },
    rate: (liked, eventId) => {
      if (conversation.isOpen()) conversation.sendFeedback(liked, eventId);
    },
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

function tentativeOf(event: unknown): string | undefined {
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
