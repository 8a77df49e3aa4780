export type { RecorderNotice } from './snapshot.ts';
export type { Recording } from './state.ts';
export { getMessage, RECORDING_TEXTS } from './texts.ts';
export { useRecorder, type RecorderHandle, type UseRecorderOptions } from './use-recorder.ts';
