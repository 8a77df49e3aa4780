export { ReviewScreen } from './review-screen.tsx';
