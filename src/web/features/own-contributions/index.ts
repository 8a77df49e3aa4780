export { OwnContributionsScreen } from './own-contributions-screen.tsx';
export { UnfinishedSection } from './unfinished-section.tsx';
