export type { TranscriptOutcome } from './obtain-transcript.ts';
export type { TranscriptionError } from './result.ts';
export { transcriptionMessage, TRANSCRIPTION_TEXTS } from './texts.ts';
export { useTranscription, type TranscriptionHandle, type TranscriptionState } from './use-transcription.ts';
