import { formatArea } from '#contract/labels.ts';
import type { VoiceDetector } from '../audio/vad.ts';
import { Listener } from '../embedded/listener.ts';
import { EmbeddedInterviewRunner, type InterviewRunner } from '../embedded/interview-runner.ts';
import { createBankInterviewer } from '../interviewer/bank-interviewer.ts';
import type { Interviewer } from '../interviewer/interviewer.ts';
import { LlmInterviewer } from '../interviewer/llm-interviewer.ts';
import { describeError, type LocalTurn, type TurnTranscriber } from '../services.ts';
import type { Service } from '../../service-request.ts';
import type { TtsService } from '../settings.ts';
import { ENDINGS } from '../errors.ts';
import type { ClientMessage, ServerMessage } from '../wire.ts';
import type { Engine, EngineContext, StartEngine } from './engine.ts';

export type EmbeddedServices = Readonly<{
  llm: Service | undefined;
  tts: TtsService | undefined;
  /** Without it only text-only conversations are accepted. */
  listening: Readonly<{ createTranscriber: (turn: LocalTurn) => TurnTranscriber; detector: VoiceDetector }> | undefined;
}>;

/** This server's own engine: asks from question banks or with a language model, listens and speaks through services. */
export function startEmbedded(services: EmbeddedServices): StartEngine {
  return (context) => {
    const { textOnly } = context.start;
    const { listening } = services;
    if (!textOnly && listening === undefined) {
      context.end(ENDINGS.textOnly);
      return { receive: () => undefined, stop: () => undefined, pings: false };
    }
    context.send(describeConversation(context, services));
    return startInterview(context, services, textOnly ? undefined : listening);
  };
}

function describeConversation({ conversationId }: EngineContext, { tts }: EmbeddedServices): ServerMessage {
  return {
    type: 'conversation_initiation_metadata',
    conversation_initiation_metadata_event: {
      conversation_id: conversationId,
      agent_output_audio_format: `pcm_${tts?.sampleRate ?? 16_000}`,
      user_input_audio_format: 'pcm_16000',
    },
  };
}

/** Without `listening` the interview is typed. */
function startInterview(
  context: EngineContext,
  services: EmbeddedServices,
  listening: EmbeddedServices['listening'],
): Engine {
  const interviewer = createInterviewer(context, services);
  const { tts } = services;
  const voice = tts === undefined ? ({ kind: 'browser' } as const) : ({ kind: 'service', service: tts } as const);
  const prompt = formatArea(context.brief.area);
  const listener: Listener | undefined =
    listening &&
    new Listener({
      context,
      transcriber: listening.createTranscriber({ conversation: context.conversationId, prompt }),
      detector: listening.detector,
      // Set below; never called before.
      runner: (): InterviewRunner => runner,
    });
  const runner = new EmbeddedInterviewRunner({
    context,
    interviewer,
    voice: listening === undefined ? { kind: 'silent' } : voice,
    onAgentTurn: (hasTurn) => listener?.setAgentTurn(hasTurn),
    userSpeaks: () => listener?.isInTurn() ?? false,
  });
  runner.open();
  return {
    receive: (message) => receive(message, runner, interviewer, listener),
    stop: () => {
      const heard = listener?.stop();
      runner.stop();
      return heard;
    },
    pings: false,
  };
}

function receive(
  message: ClientMessage,
  runner: InterviewRunner,
  interviewer: Interviewer,
  listener: Listener | undefined,
): void {
  switch (message.type) {
    case 'user_audio_chunk':
      // Some clients start their microphone even in a text-only conversation; its audio is ignored.
      return listener?.push(message.audio);
    case 'user_message':
      return answerTyped(message.text, runner, listener);
    case 'multimodal_message':
      return answerTyped(message.text?.text, runner, listener);
    case 'user_activity':
      return listener?.noteActivity();
    case 'contextual_update':
      return interviewer.note(message.text);
    default:
  }
}

function answerTyped(text: string | undefined, runner: InterviewRunner, listener: Listener | undefined): void {
  listener?.noteActivity();
  const words = text?.trim() ?? '';
  if (words !== '') runner.answer(words);
}

function createInterviewer(context: EngineContext, { llm }: EmbeddedServices): Interviewer {
  const { brief, start } = context;
  const bank = createBankInterviewer(brief.topic, brief.earlier, start.firstMessage);
  if (llm === undefined) return bank;
  return new LlmInterviewer({
    service: llm,
    brief,
    start,
    bank,
    onError: (error) => context.log.warn({ cause: describeError(error) }, 'language model failed'),
  });
}
