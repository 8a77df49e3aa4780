export type { TranscriptionError, TranscriptionResult } from './transcribe.ts';
export { transcriptionMessage, TRANSCRIPTION_TEXTS } from './texts.ts';
export {
  loadTranscribe,
  reportProgress,
  useTranscribeAhead,
  useTranscription,
  type TranscriptionHandle,
  type TranscriptionState,
  type TranscriptOutcome,
} from './use-transcription.ts';
