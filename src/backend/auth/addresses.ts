import { invalid } from './errors.ts';

const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Returns the address in lower case. Throws AuthError where it is invalid or longer than 255 characters. */
export function parseEmail(given: string): string {
  const email = given.toLowerCase();
  if (email === '') throw invalid('An email address is required');
  if (email.length > 255) throw invalid('An email address is too long');
  if (!EMAIL.test(email)) throw invalid('Unable to validate email address: invalid format');
  return email;
}

/** Digits only, E.164 without the plus. Throws AuthError. */
export function parsePhone(given: string): string {
  const phone = stripPhone(given);
  if (!/^[1-9]\d{1,14}$/.test(phone)) throw invalid('Invalid phone number format (E.164 required)');
  return phone;
}

export function stripPhone(given: string): string {
  return given.replaceAll(/[\s+()-]/g, '');
}
