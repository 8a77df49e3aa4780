export { VoiceMessageScreen } from './voice-message-screen.tsx';
