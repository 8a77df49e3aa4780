export type { TranscriptOutcome } from './use-transcription.ts';
export type { TranscriptionError } from './transcribe.ts';
export { transcriptionMessage, TRANSCRIPTION_TEXTS } from './texts.ts';
export { useTranscription, type TranscriptionHandle, type TranscriptionState } from './use-transcription.ts';
