import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asLaterPart, laterPart, loadAhead } from './later-part.ts';

const SCRIPT = new Response('code', { headers: { 'content-type': 'application/javascript' } });
let files: readonly string[] = [];
let build = 0;

beforeEach(() => {
  // What one test has fetched, a later one does not fetch again.
  build += 1;
  files = [`/assets/sending-${build}.js`, `/assets/client-${build}.js`];
  document.head.innerHTML = `<meta name="part:sending" content="${files.join(' ')}">`;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What comes for each file: an answer, or no connection. */
function answer(...answers: (Response | undefined)[]) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (name: string) => {
    asked.push(name);
    const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
    return next === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(next.clone());
  });
  return asked;
}

describe('A part that is fetched after the first screen (decision 0305)', () => {
  it('is imported once all of its files are there', async () => {
    const asked = answer(SCRIPT);
    const load = vi.fn(() => Promise.resolve('module'));
    const part = laterPart('sending', load);
    expect(await Promise.all([part(), part()])).toEqual(['module', 'module']);
    expect(asked).toEqual(files);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['no connection', undefined],
    ['an error', new Response('Not Found', { status: 404 })],
    ["an updated server's page", new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ])('is not imported while a file is missing, so that the next call can: %s', async (_name, missing) => {
    answer(SCRIPT, missing, SCRIPT);
    const load = vi.fn(() => Promise.resolve('module'));
    const part = laterPart('sending', load);
    await expect(part()).rejects.toThrow();
    expect(load).not.toHaveBeenCalled();
    expect(await part()).toBe('module');
  });

  it('shares files with other parts, each of which is fetched once', async () => {
    const [, client = ''] = files;
    document.head.innerHTML += `<meta name="part:outbox" content="/assets/outbox-${build}.js ${client}">`;
    const asked = answer(SCRIPT, undefined, SCRIPT);
    const load = (): Promise<string> => Promise.resolve('module');
    await expect(laterPart('sending', load)()).rejects.toThrow('Failed to fetch');
    await Promise.all([laterPart('outbox', load)(), laterPart('sending', load)()]);
    expect(asked.toSorted()).toEqual([...files, client, `/assets/outbox-${build}.js`].toSorted());
  });

  it('is imported at once where nothing is bundled, as in development', async () => {
    document.head.innerHTML = '';
    const asked = answer(undefined);
    expect(await laterPart('sending', () => Promise.resolve('module'))()).toBe('module');
    expect(asked).toEqual([]);
  });

  it('is fetched ahead until it is there, and at once when the connection is back', async () => {
    vi.useFakeTimers();
    let connected = false;
    const load = vi.fn(() => (connected ? Promise.resolve() : Promise.reject(new TypeError('Failed to fetch'))));
    let ready = false;
    void loadAhead(load).then(() => (ready = true));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(load.mock.calls.length).toBeGreaterThan(1);
    expect(ready).toBe(false);
    connected = true;
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ready).toBe(true);
  });

  it('is asked for less and less often where an update took it away, and waits with one listener', async () => {
    vi.useFakeTimers();
    const asked = answer(new Response('<html>', { headers: { 'content-type': 'text/html' } }));
    const [added, removed] = [vi.spyOn(window, 'addEventListener'), vi.spyOn(window, 'removeEventListener')];
    void asLaterPart('sending', () => Promise.resolve('module'))();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    const count = () => asked.filter((name) => name === files[0]).length;
    expect(count(), 'once in two minutes').toBeLessThan(24 * 30 + 10);
    expect(added.mock.calls.length - removed.mock.calls.length, 'no listener is left behind').toBe(1);
    const before = count();
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(count() - before, 'soon again once the connection is back').toBe(2);
  });
});
