export { AdminScreen } from './admin-screen.tsx';
export { AccountsScreen } from './accounts-screen.tsx';
