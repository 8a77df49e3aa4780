export { ThankYouScreen } from './thank-you-screen.tsx';
