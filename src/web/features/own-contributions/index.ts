export { OwnContributionsScreen } from './own-contributions-screen.tsx';
