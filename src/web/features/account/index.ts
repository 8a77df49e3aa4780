export { AccountScreen } from './account-screen.tsx';
export { SecondFactorScreen } from './second-factor-screen.tsx';
