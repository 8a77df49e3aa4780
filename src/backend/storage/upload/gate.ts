import { Transform, type Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { checkAllowedType, contradiction, DEFAULT_TYPE, SNIFFED_BYTES } from '../content-type.ts';
import { StorageError } from '../errors.ts';

export type GateRules = Readonly<{
  maxBytes: number;
  type: string;
  allowedTypes: readonly string[] | null;
  /** Bytes that content of the detected type may have. */
  limitOf: (type: string | undefined) => number;
}>;

export type Gate = Readonly<{
  stream: Transform;
  /** Once the bytes are through: what they are where they contradict the declared type. */
  detectedType: () => string | undefined;
}>;

/** Lets bytes pass while they keep the rules. Breaks with EntityTooLarge or InvalidMimeType otherwise. */
export function createGate(rules: GateRules): Gate {
  let total = 0;
  let { maxBytes } = rules;
  let head: Buffer | undefined = Buffer.alloc(0);
  let detected: string | undefined;
  const lookFirst = callbackify(async (): Promise<void> => {
    if (head === undefined) return;
    const seen = head;
    head = undefined;
    detected = await contradiction(seen, rules.type);
    // Unknown content is served safely; content that is known to be of a forbidden type is not taken at all.
    if (detected !== undefined && detected !== DEFAULT_TYPE) checkAllowedType(detected, rules.allowedTypes);
    maxBytes = Math.min(maxBytes, rules.limitOf(detected));
    if (total > maxBytes) throw new StorageError('EntityTooLarge');
  });
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > maxBytes) return done(new StorageError('EntityTooLarge'));
      if (head === undefined) return done(null, chunk);
      head = Buffer.concat([head, chunk.subarray(0, SNIFFED_BYTES - head.length)]);
      if (head.length < SNIFFED_BYTES) return done(null, chunk);
      lookFirst((error) => done(error, chunk));
    },
    flush(done) {
      lookFirst(done);
    },
  });
  // It may break before anybody reads from it; who reads learns of it from the stream's end.
  stream.on('error', () => undefined);
  return { stream, detectedType: () => detected };
}

/**
 * Pipes without ever destroying `source`: a request's socket is still needed for the answer. A source that breaks off
 * breaks the gate with Aborted.
 */
export function pourInto(source: Readable, gate: Transform): void {
  source.once('error', (error: Error) => gate.destroy(brokenOff(error)));
  source.once('close', () => {
    if (!source.readableEnded) gate.destroy(brokenOff(source.errored));
  });
  if (source.destroyed) gate.destroy(brokenOff(source.errored));
  else source.pipe(gate);
}

function brokenOff(error: Error | null): StorageError {
  if (error instanceof StorageError) return error;
  if (error === null) return new StorageError('Aborted');
  if ('code' in error && error.code === 'ECONNRESET') return new StorageError('Aborted', undefined, { cause: error });
  return new StorageError('InvalidRequest', 'Malformed body', { cause: error });
}
