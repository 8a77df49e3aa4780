export { LegalScreen } from './legal-screen.tsx';
