import { digestSecret, newSecret, seal as sealText, unseal as unsealText } from '#lib/sealed.ts';

/** Part of the stored bytes: another purpose opens no ticket issued before. */
const PURPOSE = 'what a ticket stands for';

/** Opens one thing, once, for a short time: 256 random bits. */
export const newTicket = newSecret;

/** The key of the ticket's row: its SHA-256, from which the ticket cannot be computed. */
export const ticketId = digestSecret;

/** Encrypts under the ticket, so a copy of the database opens nothing. */
export function seal(ticket: string, value: unknown): Buffer {
  return sealText(ticket, PURPOSE, JSON.stringify(value));
}

/** Throws where the ticket is another one, or a byte was changed. */
export function unseal(ticket: string, sealed: Buffer): unknown {
  return JSON.parse(unsealText(ticket, PURPOSE, sealed));
}
