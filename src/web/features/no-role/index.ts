export { NoRoleScreen } from './no-role-screen.tsx';
