export { LoginScreen } from './login-screen.tsx';
export { ForgottenPasswordScreen } from './forgotten-password-screen.tsx';
export { NewPasswordScreen } from './new-password-screen.tsx';
