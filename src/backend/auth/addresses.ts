import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { invalid } from './errors.ts';

const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Lower-cased; throws AuthError where it is no address or longer than 255 characters. */
export function validEmail(given: string): string {
  const email = given.toLowerCase();
  if (email === '') throw invalid('An email address is required');
  if (email.length > 255) throw invalid('An email address is too long');
  if (!EMAIL.test(email)) throw invalid('Unable to validate email address: invalid format');
  return email;
}

/** Digits only, E.164 without the plus. Throws AuthError. */
export function validPhone(given: string): string {
  const phone = barePhone(given);
  if (!/^[1-9]\d{1,14}$/.test(phone)) throw invalid('Invalid phone number format (E.164 required)');
  return phone;
}

export function barePhone(given: string): string {
  return given.replaceAll(/[\s+()-]/g, '');
}

/** The caller's address for the database, or undefined where a proxy header held no address. */
export function addressOf(request: FastifyRequest): string | undefined {
  const address = request.ip.replace(/%.*$/, '');
  return isIP(address) === 0 ? undefined : address;
}

/** What counts as one caller: an IPv4 address, or the /64 that one IPv6 subscriber owns. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (isIP(address) !== 6) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]; // prettier-ignore
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`; // prettier-ignore
}
