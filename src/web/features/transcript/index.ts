export { TranscriptEditScreen } from './transcript-edit-screen.tsx';
