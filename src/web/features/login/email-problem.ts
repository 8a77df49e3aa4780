import { loginTexts } from './texts.ts';

/** Rejects only what is certainly no address; the backend validates the rest. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function validateEmail(email: string): string | undefined {
  if (email === '') return loginTexts.emailMissing;
  return ADDRESS.test(email) ? undefined : loginTexts.emailInvalid;
}
