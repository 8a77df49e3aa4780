export { SpokenWords } from './spoken-words.tsx';
export { VoiceMessageScreen } from './voice-message-screen.tsx';
