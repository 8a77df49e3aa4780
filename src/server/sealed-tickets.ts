import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** A key to one thing, once, soon: 256 random bits. */
export function newTicket(): string {
  return randomBytes(32).toString('base64url');
}

/** Under which a ticket is found: its sha256, from which nobody can make the ticket. */
export function ticketId(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key that only the ticket yields: whoever reads the database reads nothing. */
export function seal(ticket: string, value: unknown): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ticket), iv);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** Throws where the ticket is another one, or a byte was changed. */
export function unseal(ticket: string, sealed: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(ticket), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(body.toString('utf8'));
}

function keyOf(ticket: string): Buffer {
  return Buffer.from(hkdfSync('sha256', ticket, '', 'what a ticket stands for', 32));
}
