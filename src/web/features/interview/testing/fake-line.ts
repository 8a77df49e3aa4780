import { vi } from 'vitest';
import { logIn } from '#web/submission/testing/fixtures.ts';
import { createFakeCall, type FakeCall } from './fake-call.ts';

/** The line has tests of its own. These take the place of its modules in tests of a screen, which control it. */
export const loadClient = (): Promise<void> => Promise.resolve();
export const startCall = vi.fn();
export const requestTicket = vi.fn();
export const bindInterview = vi.fn(() => Promise.resolve());

/** A person who is logged in, and a line for the next call; `current` is the one that the test has when it begins. */
export function prepareLine(current: () => FakeCall): FakeCall {
  logIn();
  startCall.mockReset().mockImplementation(async () => current().call);
  requestTicket.mockReset().mockResolvedValue({});
  bindInterview.mockClear();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  HTMLElement.prototype.scrollIntoView = () => undefined;
  HTMLElement.prototype.scrollTo = () => undefined;
  window.scrollTo = () => undefined;
  return createFakeCall();
}
