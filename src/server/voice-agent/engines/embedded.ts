import type { VoiceActivity } from '../audio/vad.ts';
import { createHearing, type Hearing } from '../embedded/hearing.ts';
import { createInterview, nameOf, type Interview } from '../embedded/interview.ts';
import type { UtteranceOptions } from '../embedded/utterance.ts';
import { createBankBrain } from '../interviewer/bank-brain.ts';
import type { Brain } from '../interviewer/brain.ts';
import { createLlmBrain } from '../interviewer/llm-brain.ts';
import type { Service, SpeechService, TranscriptionService } from '../settings.ts';
import { ENDINGS } from '../wire/ending.ts';
import type { ClientMessage } from '../wire/messages.ts';
import type { Engine, Stage, StartEngine } from './engine.ts';

export type EmbeddedParts = Readonly<{
  llm: Service | undefined;
  speech: SpeechService | undefined;
  /** Both are needed to listen; without them only text-only conversations are taken. */
  hearing: Readonly<{ service: TranscriptionService; activity: VoiceActivity }> | undefined;
}>;

/**
 * The interviewer of this server: asks from its banks or with a language model, listens and speaks through services.
 */
export function startEmbedded(parts: EmbeddedParts): StartEngine {
  return (stage) => {
    if (!stage.start.textOnly && parts.hearing === undefined) {
      stage.end(ENDINGS.textOnly);
      return { receive: () => undefined, stop: () => undefined, pings: false };
    }
    stage.send(metadata(stage, parts));
    return stage.start.textOnly ? textEngine(stage, parts) : voiceEngine(stage, parts);
  };
}

function metadata(stage: Stage, parts: EmbeddedParts): Parameters<Stage['send']>[0] {
  return {
    type: 'conversation_initiation_metadata',
    conversation_initiation_metadata_event: {
      conversation_id: stage.conversationId,
      agent_output_audio_format: `pcm_${parts.speech?.sampleRate ?? 16_000}`,
      user_input_audio_format: 'pcm_16000',
    },
  };
}

function textEngine(stage: Stage, parts: EmbeddedParts): Engine {
  const brain = brainOf(stage, parts);
  const interview = createInterview({
    stage,
    brain,
    voice: { kind: 'silent' },
    onFloor: () => undefined,
    userSpeaks: () => false,
  });
  interview.open();
  return { receive: (message) => receive(message, interview, brain, undefined), stop: interview.stop, pings: false };
}

function voiceEngine(stage: Stage, parts: EmbeddedParts): Engine {
  const { hearing: ears } = parts;
  if (ears === undefined) return textEngine(stage, parts);
  const brain = brainOf(stage, parts);
  const voice: UtteranceOptions['voice'] =
    parts.speech === undefined ? { kind: 'browser' } : { kind: 'service', service: parts.speech };
  const hearing: Hearing = createHearing({ stage, ...ears, interview: (): Interview => interview });
  const interview = createInterview({ stage, brain, voice, onFloor: hearing.onFloor, userSpeaks: hearing.inTurn });
  interview.open();
  return {
    receive: (message) => receive(message, interview, brain, hearing),
    stop: () => {
      hearing.stop();
      interview.stop();
    },
    pings: false,
  };
}

function receive(message: ClientMessage, interview: Interview, brain: Brain, hearing: Hearing | undefined): void {
  switch (message.type) {
    case 'user_audio_chunk':
      // Some clients start their microphone even in a text-only conversation: nobody listens.
      return hearing?.listen(message.audio);
    case 'user_message':
      return typed(message.text, interview, hearing);
    case 'multimodal_message':
      return typed(message.text?.text, interview, hearing);
    case 'user_activity':
      return hearing?.activity();
    case 'contextual_update':
      return brain.note(message.text);
    default:
  }
}

function typed(text: string | undefined, interview: Interview, hearing: Hearing | undefined): void {
  hearing?.activity();
  const words = text?.trim() ?? '';
  if (words !== '') interview.answer(words);
}

function brainOf(stage: Stage, { llm }: EmbeddedParts): Brain {
  const { brief, start } = stage;
  const bank = createBankBrain(brief.topic, brief.earlier, start.firstMessage);
  if (llm === undefined) return bank;
  return createLlmBrain({
    service: llm,
    brief,
    start,
    bank,
    onTrouble: (error) => stage.log.warn({ cause: nameOf(error) }, 'language model failed'),
  });
}
