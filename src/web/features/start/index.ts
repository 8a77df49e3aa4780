export { StartScreen } from './start-screen.tsx';
export { ContentSelectionScreen } from './content-selection-screen.tsx';
