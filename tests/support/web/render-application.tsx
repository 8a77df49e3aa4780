import { render } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { Boot } from '#web/app/application.tsx';
import { STUB_CONFIG, stubServer, type Answers } from './stub-server.ts';

/** Each test of the file has a page of its own. */
export function applicationForEach(): void {
  beforeEach(() => {
    vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    window.history.replaceState(null, '', '/');
  });
}

/**
 * Opens the whole application at this path, with this state of its history. `answers` are the server's, beside its
 * configuration, and may change while the page is open. Returns the calls, as `stubServer` does.
 */
export function open(path: string, answers: Answers, state: object | null = null): string[] {
  window.history.replaceState(state, '', path);
  const config: Answers = { 'GET /config.json': () => Response.json(STUB_CONFIG) };
  const calls = stubServer(Object.setPrototypeOf(answers, config));
  render(<Boot />);
  return calls;
}
