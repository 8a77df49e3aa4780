export { ImageUploadAfterVoiceScreen } from './image-upload-after-voice-screen.tsx';
