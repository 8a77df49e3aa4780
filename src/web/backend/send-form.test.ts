import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendForm, type SendProgress } from './send-form.ts';

class FakeCall extends EventTarget {
  static last: FakeCall;
  upload = new EventTarget();
  status = 0;
  statusText = '';
  responseText = '';
  open = vi.fn();
  setRequestHeader = vi.fn();
  send = vi.fn();
  abort = vi.fn(() => this.dispatchEvent(new Event('abort')));
  getResponseHeader = (name: string): string | null => (name === 'retry-after' ? '3' : null);
  constructor() {
    super();
    FakeCall.last = this;
  }
  sends(loaded: number, total: number): void {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { lengthComputable: true, loaded, total }));
  }
  answers(status: number, text: string): void {
    Object.assign(this, { status, responseText: text });
    this.dispatchEvent(new Event('load'));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('XMLHttpRequest', FakeCall);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const request = { url: '/x', form: new FormData(), headers: { authorization: 'Bearer t' }, timeoutMs: 60_000 };

test('Posts the form with its headers and gives the answer (§7)', async () => {
  const sent = sendForm(request);
  expect(FakeCall.last.open).toHaveBeenCalledWith('POST', '/x');
  expect(FakeCall.last.setRequestHeader).toHaveBeenCalledWith('authorization', 'Bearer t');
  expect(FakeCall.last.send).toHaveBeenCalledWith(request.form);
  FakeCall.last.answers(429, '{}');
  const outcome = await sent;
  if (outcome.kind !== 'answer') throw new Error(outcome.kind);
  expect(outcome.answer).toMatchObject({ status: 429, body: '{}' });
  expect(outcome.answer.header('retry-after')).toBe('3');
});

test('Reports the bytes as progress, then waits (D18)', async () => {
  const seen: SendProgress[] = [];
  const sent = sendForm({ ...request, onProgress: (progress) => void seen.push(progress) });
  FakeCall.last.sends(50, 200);
  FakeCall.last.upload.dispatchEvent(new Event('load'));
  FakeCall.last.answers(200, '{}');
  await sent;
  expect(seen).toEqual([{ phase: 'uploading', fraction: 0.25 }, { phase: 'waiting' }]);
});

test('Ends the call after 60 s without an answer (§9)', async () => {
  const sent = sendForm(request);
  FakeCall.last.upload.dispatchEvent(new Event('load'));
  vi.advanceTimersByTime(59_999);
  expect(FakeCall.last.abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(await sent).toEqual({ kind: 'timeout' });
  expect(FakeCall.last.abort).toHaveBeenCalledOnce();
});

test('Does not time out on a slow line that still sends (§9)', async () => {
  const sent = sendForm(request);
  for (let part = 1; part <= 5; part++) {
    vi.advanceTimersByTime(50_000);
    FakeCall.last.sends(part, 6);
  }
  FakeCall.last.answers(200, '{}');
  expect((await sent).kind).toBe('answer');
});

test('Distinguishes a lost connection from a time-out and from leaving', async () => {
  const lost = sendForm(request);
  FakeCall.last.dispatchEvent(new Event('error'));
  expect(await lost).toEqual({ kind: 'network' });
  const leaving = new AbortController();
  const left = sendForm({ ...request, signal: leaving.signal });
  leaving.abort();
  expect(await left).toEqual({ kind: 'aborted' });
  expect(FakeCall.last.abort).toHaveBeenCalledOnce();
  expect(await sendForm({ ...request, signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
});

test('Passes on the body as it grows, and counts the time from its last piece (§9)', async () => {
  const bodies: string[] = [];
  const sent = sendForm({ ...request, onBody: (body) => bodies.push(body) });
  Object.assign(FakeCall.last, { status: 200 });
  for (const body of ['a', 'ab', 'abc']) {
    vi.advanceTimersByTime(59_000);
    Object.assign(FakeCall.last, { responseText: body });
    FakeCall.last.dispatchEvent(new Event('progress'));
  }
  expect(bodies).toEqual(['a', 'ab', 'abc']);
  vi.advanceTimersByTime(60_000);
  expect(await sent).toEqual({ kind: 'timeout' });
});
