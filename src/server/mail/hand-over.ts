import { Readable } from 'node:stream';
import { getErrorCode } from '#lib/error-code.ts';
import type { Carry } from './smtp.ts';

type Message = Readonly<{ from: string; to: string; content: Buffer }>;

/**
 * What the mail server made of a message. `unsure`: it got the last byte and never said whether it took it. `away`: it said
 * nothing about this message. `cause` is a code, never words: they may hold an address.
 */
export type Outcome =
  | Readonly<{ result: 'taken' }>
  | Readonly<{ result: 'refused' | 'later'; answer: number; cause: string | undefined }>
  | Readonly<{ result: 'unsure' | 'away'; cause: string | undefined }>;

/** `begin` is called before the first byte goes out; where it rejects, none does. Rejects never. */
export async function handOver(
  carry: Carry,
  { from, to, content }: Message,
  { begin, signal }: Readonly<{ begin: () => Promise<void>; signal: AbortSignal }>,
): Promise<Outcome> {
  let begun = false;
  const parts = async function* (): AsyncGenerator<Buffer> {
    await begin();
    begun = true;
    yield content;
  };
  const stream = Readable.from(parts(), { objectMode: false });
  try {
    await carry({ from, to, content: stream }, signal);
    return { result: 'taken' };
  } catch (error) {
    const answer = answerOf(error);
    const cause = getErrorCode(error);
    if (answer !== undefined) return { result: answer >= 500 ? 'refused' : 'later', answer, cause };
    return { result: begun && stream.readableEnded ? 'unsure' : 'away', cause };
  } finally {
    stream.destroy();
  }
}

/** What the server said about this mail. A refused login says nothing about the mail. */
function answerOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || getErrorCode(error) === 'EAUTH') return undefined;
  return 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
}
