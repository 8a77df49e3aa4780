import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { closePage, openPage, watchPage } from './page.ts';

afterEach(closePage);

it('A page has nothing of the one before it (decision 0349)', async () => {
  await openPage();
  const heard = vi.fn();
  window.addEventListener('online', heard);
  document.body.append('words');
  history.pushState(null, '', '/elsewhere');
  localStorage.setItem('kept', 'words');
  HTMLElement.prototype.scrollIntoView = heard;
  await openPage();
  window.dispatchEvent(new Event('online'));
  expect(heard).not.toHaveBeenCalled();
  expect(document.body.textContent).toBe('');
  expect(location.pathname).toBe('/');
  expect(localStorage.length).toBe(0);
  expect('scrollIntoView' in HTMLElement.prototype).toBe(false);
  // A page that takes the classes of the one before it asks itself without end.
  expect({} instanceof Request).toBe(false);
});

it('Leaves what Node has', async () => {
  const { Request, URL, Blob } = globalThis;
  await openPage();
  await openPage();
  await closePage();
  expect(globalThis.Request).toBe(Request);
  expect(globalThis.URL).toBe(URL);
  expect(globalThis.Blob).toBe(Blob);
  expect('document' in globalThis).toBe(false);
});

it('Timers and channels end with the page', async () => {
  const { setTimeout: original } = globalThis;
  const end = watchPage();
  const heard = vi.fn();
  setTimeout(heard, 5);
  setInterval(heard, 5);
  new BroadcastChannel('page').addEventListener('message', heard);
  end();
  expect(setTimeout).toBe(original);
  const [mine, other] = [new BroadcastChannel('page'), new BroadcastChannel('page')];
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  other.postMessage('words');
  await once(mine, 'message');
  // Timers of the same length come in their order.
  await new Promise((resolve) => void setTimeout(resolve, 5));
  expect(heard).not.toHaveBeenCalled();
  mine.close();
  other.close();
});
