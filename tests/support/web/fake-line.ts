import { vi } from 'vitest';
import { logIn } from '#tests/support/web/fixtures.ts';
import type { Call } from '#web/features/interview/voice/call.ts';

/** The line has tests of its own. These take the place of its modules in tests of a screen, which control it. */
export const loadClient = (): Promise<void> => Promise.resolve();
export const startCall = vi.fn();
export const requestTicket = vi.fn();
export const bindInterview = vi.fn(() => Promise.resolve());

/** Somebody is logged in, and the next call is the one that the test has by then. */
export function prepareLine(current: () => Call): void {
  logIn();
  startCall.mockReset().mockImplementation(async () => current());
  requestTicket.mockReset().mockResolvedValue({});
  bindInterview.mockClear();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  HTMLElement.prototype.scrollIntoView = () => undefined;
  HTMLElement.prototype.scrollTo = () => undefined;
  window.scrollTo = () => undefined;
}
