export { LoginScreen } from './login-screen.tsx';
export { ForgottenPasswordScreen } from './forgotten-password-screen.tsx';
export { CompanyLoginScreen } from './company-login-screen.tsx';
export { MailCodeScreen } from './mail-code-screen.tsx';
export { NewPasswordScreen } from './new-password-screen.tsx';
