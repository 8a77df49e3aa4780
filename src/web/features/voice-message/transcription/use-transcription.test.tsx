import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { BackendProvider, type BackendClient } from '#web/backend/client.ts';
import type { SendForm, SendOutcome, SendRequest } from '#web/backend/send-form.ts';
import { useTranscription } from './use-transcription.ts';
// Loaded with the first transcription; a test would have to wait for that.
import './transcribe.ts';

const recording = { blob: new Blob(['x']), extension: 'webm' };

const session = (access_token: string): object => ({ data: { session: { access_token } } });
const refreshSession = vi.fn(async () => session('new'));

const getSession = vi.fn(async () => session('old'));

function backend(transcription: boolean, transcriptionStream = false): BackendClient {
  const auth = { getSession, refreshSession };
  return { config: { transcription, transcriptionStream }, supabase: { auth } } as unknown as BackendClient;
}

function open(send: SendForm, transcription = true, stream = false) {
  const client = backend(transcription, stream);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <BackendProvider value={client}>{children}</BackendProvider>
  );
  return renderHook(() => useTranscription({ readInterviewKey: () => 'contribution', send }), { wrapper });
}

const answers = (status: number, body: object): SendOutcome => ({
  kind: 'answer',
  answer: { status, statusText: '', header: () => null, body: JSON.stringify(body) },
});
const text = answers(200, { text: 'Guten Tag.' });
const expired = answers(401, { error: { message: 'x', code: 'invalid_token' } });

test('Goes from uploading over transcribing to done (§2.6)', async () => {
  const sent: SendRequest[] = [];
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  const { result } = open((request) => {
    sent.push(request);
    return promise;
  });
  expect(result.current.state).toEqual({ status: 'idle' });
  let outcome: unknown;
  await act(async () => void result.current.run(recording).then((given) => (outcome = given)));
  expect(result.current.state).toEqual({ status: 'uploading', fraction: 0 });
  act(() => sent[0]?.onProgress?.({ phase: 'uploading', fraction: 0.5 }));
  expect(result.current.state).toEqual({ status: 'uploading', fraction: 0.5 });
  act(() => sent[0]?.onProgress?.({ phase: 'waiting' }));
  expect(result.current.state).toEqual({ status: 'transcribing' });
  await act(async () => resolve(text));
  expect(result.current.state).toEqual({ status: 'done' });
  expect(outcome).toEqual({ ok: true, text: 'Guten Tag.', segments: [] });
});

test('Sends the keys of this browser (D12)', async () => {
  localStorage.setItem('transcription_api_key', ' sk-own ');
  const send = vi.fn<SendForm>(async () => text);
  const { result } = open(send);
  await act(() => result.current.run(recording));
  expect(send.mock.calls[0]?.[0].headers).toEqual({
    authorization: 'Bearer old',
    'x-interview-key': 'contribution',
    'x-transcription-key': 'sk-own',
  });
});

test('a token that expired in the middle is renewed, once', async () => {
  const outcomes = [expired, text];
  const send = vi.fn<SendForm>(async () => outcomes.shift() ?? expired);
  const { result } = open(send);
  await act(() => result.current.run(recording));
  expect(send.mock.calls.map(([request]) => request.headers['authorization'])).toEqual(['Bearer old', 'Bearer new']);
  expect(result.current.state.status).toBe('done');
  await act(() => result.current.run(recording));
  expect(result.current.state).toMatchObject({ status: 'failed', error: { kind: 'rejected' } });
  expect(refreshSession).toHaveBeenCalledTimes(2);
});

test('A login whose token could not be renewed now is no lost login: nothing is sent', async () => {
  getSession.mockResolvedValueOnce({ data: { session: null }, error: new Error('no answer') });
  const send = vi.fn<SendForm>(async () => answers(401, { error: { message: 'x', code: 'not_authenticated' } }));
  const { result } = open(send);
  await act(() => result.current.run(recording));
  expect(result.current.state).toEqual({ status: 'failed', error: { kind: 'network' } });
  expect(send).not.toHaveBeenCalled();
});

test('Without a service nothing is sent and what the browser heard is taken (D21)', async () => {
  const send = vi.fn<SendForm>(async () => text);
  const { result } = open(send, false);
  await act(() => result.current.run(recording, async () => 'gehört'));
  expect(result.current.state).toEqual({ status: 'done' });
  await act(() => result.current.run(recording));
  expect(result.current.state).toEqual({ status: 'failed', error: { kind: 'unavailable' } });
  expect(send).not.toHaveBeenCalled();
});

test('Leaving the screen and pressing cancel end the call (§4)', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const send: SendForm = ({ signal }) => {
    signals.push(signal);
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ kind: 'aborted' })));
  };
  const { result, unmount } = open(send);
  await act(async () => void result.current.run(recording));
  await act(async () => result.current.cancel());
  expect(signals[0]?.aborted).toBe(true);
  expect(result.current.state).toEqual({ status: 'idle' });
  await act(async () => void result.current.run(recording));
  await act(async () => void result.current.run(recording));
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, false]);
  unmount();
  expect(signals[2]?.aborted).toBe(true);
});

test('Shows the text as it grows where the server announces it, and cancels', async () => {
  const sent: SendRequest[] = [];
  const { promise } = Promise.withResolvers<SendOutcome>();
  const { result } = open(
    (request) => {
      sent.push(request);
      return Promise.race([
        promise,
        new Promise<SendOutcome>((resolve) =>
          request.signal?.addEventListener('abort', () => resolve({ kind: 'aborted' })),
        ),
      ]);
    },
    true,
    true,
  );
  let outcome: unknown;
  await act(async () => void result.current.run(recording).then((given) => (outcome = given)));
  const delta = { type: 'transcript.text.delta', delta: 'Guten' };
  act(() => sent[0]?.onBody?.(`data: ${JSON.stringify(delta)}\n\n`));
  expect(result.current.state).toEqual({ status: 'transcribing', text: 'Guten' });
  await act(async () => result.current.cancel());
  expect(outcome).toEqual({ ok: false, error: { kind: 'aborted' } });
  expect(result.current.state).toEqual({ status: 'idle' });
});
