export { ImageUploadScreen, VideoUploadScreen } from './media-upload-screen.tsx';
