export { ContributorUploadScreen } from './contributor-upload-screen.tsx';
