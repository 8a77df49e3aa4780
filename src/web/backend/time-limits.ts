import { BackendError } from './errors.ts';

// Without these limits the browser waits for minutes if the network drops every packet.

/** A look-up that takes longer counts as no connection. */
export const LOOK_TIMEOUT_MS = 8_000;

/** What people wait for: rows, a login, a new password. Without an answer by then they are told, and may try again. */
export const ANSWER_TIMEOUT_MS = 20_000;

/** A write without an answer by then counts as no connection and may be sent again: each can be repeated. */
export const WRITE_TIMEOUT_MS = 15_000;

/** For requests that take a signal. */
export function untilAnswered(): AbortSignal {
  return AbortSignal.timeout(ANSWER_TIMEOUT_MS);
}

export function untilWritten(): AbortSignal {
  return AbortSignal.timeout(WRITE_TIMEOUT_MS);
}

/** For work that takes no abort signal: after `ms` it continues unobserved. Throws BackendError `unreachable` then. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BackendError('unreachable', 'no answer in time')), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
