export { browserRecognition, type RecognitionConstructor } from './browser-recognition.ts';
export { LiveRecognition } from './live-recognition.ts';
export { useLiveRecognition } from './use-live-recognition.ts';
