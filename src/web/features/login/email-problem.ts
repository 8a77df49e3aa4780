import { loginTexts } from './texts.ts';

/** Only what surely is no address; the backend knows the rest. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function emailProblem(email: string): string | undefined {
  if (email === '') return loginTexts.emailMissing;
  return ADDRESS.test(email) ? undefined : loginTexts.emailInvalid;
}
