import { afterAll, afterEach, vi } from 'vitest';
import { openPage, watchPage } from './page.ts';
import { STATE_MS } from './time-limits.ts';

await openPage();
const endPage = watchPage();
// React looks at the page when it is read, and `screen` stays with the first one.
const { cleanup, configure, screen, within } = await import('@testing-library/react');
Object.assign(screen, within(document.body));
configure({ asyncUtilTimeout: STATE_MS });

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  endPage();
  // The next file reads the application again, as a page does that is opened.
  vi.resetModules();
});
