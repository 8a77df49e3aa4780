/** A parameter as PostgreSQL reads it: text, bytes, or null. */
export type Encoded = string | Buffer | null;

/** Encodes as `pg` does: dates with the local offset, arrays as PostgreSQL writes them, other objects as JSON. */
export function encodeValue(value: unknown): Encoded {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return encodeDate(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return encodeArray(value);
  const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isPlain ? value.toString() : JSON.stringify(value);
}

const MINUTE_MS = 60_000;

/** A column without a time zone keeps the local time, with one the moment. */
function encodeDate(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * MINUTE_MS).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function encodeArray(values: readonly unknown[]): string {
  return `{${values.map(encodeElement).join(',')}}`;
}

function encodeElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return encodeArray(value);
  const encoded = encodeValue(value);
  if (Buffer.isBuffer(encoded)) return String.raw`"\\x${encoded.toString('hex')}"`;
  return `"${String(encoded).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
