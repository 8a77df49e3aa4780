export { transcribe, type TranscriptionError, type TranscriptionResult } from './transcribe.ts';
export { transcriptionMessage, TRANSCRIPTION_TEXTS } from './texts.ts';
export {
  reportProgress,
  useTranscription,
  type TranscriptionHandle,
  type TranscriptionState,
  type TranscriptOutcome,
} from './use-transcription.ts';
