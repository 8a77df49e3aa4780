import { AuthRetryableFetchError } from '@supabase/supabase-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectContribution } from '#web/backend/connect.ts';
import { createInterview, updateTranscript } from '#web/backend/interviews.ts';
import { ensureBucket, registerMedia } from '#web/backend/media.ts';
import { getStatus, probeBackend } from '#web/backend/status.ts';
import { sessionStorageKey } from '#web/backend/stored-session.ts';
import { loadTus, uploadObject, uploadResumable } from '#web/backend/upload.ts';
import { freezeTime, pass, waitForRetry } from '#tests/support/web/render-flow.tsx';
import { type FakeBackend, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';

const now = new Date(1_700_000);
const blob = new Blob(['bild'], { type: 'image/png' });
const EXPIRES_AT = Math.floor(Date.now() / 1_000) + 3_600;
const STORED = { access_token: 'ada-token', refresh_token: 'r', expires_at: EXPIRES_AT, user: { id: 'ada' } };

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));
afterEach(() => localStorage.clear());

const storageKey = () => sessionStorageKey(fake.backend.config.supabaseUrl);

type Answer = Awaited<ReturnType<FakeBackend['backend']['supabase']['auth']['getSession']>>;

/** As supabase-js answers for a minute after a refresh that got no answer. */
const NO_ANSWER: Answer = { data: { session: null }, error: new AuthRetryableFetchError('no answer', 0) };

function loseToken(answer = NO_ANSWER): void {
  localStorage.setItem(storageKey(), JSON.stringify(STORED));
  vi.spyOn(fake.backend.supabase.auth, 'getSession').mockResolvedValue(answer);
}

const CALLS = [
  ['a new contribution', (backend) => createInterview(backend, now)],
  ['a text', (backend) => updateTranscript(backend, 7, 'Hallo')],
  ['the row of a file', (backend) => registerMedia(backend, 7, { path: '7/a.png', type: 'image/png' })],
  ['the bucket', ensureBucket],
  ['a file', (backend) => uploadObject(backend, { blob, path: '7/a.png' })],
] as const satisfies readonly (readonly [string, (backend: FakeBackend['backend']) => Promise<unknown>])[];

describe('§4 a login without a token for want of a network', () => {
  it.each(CALLS)('sends nothing as nobody: %s', async (_name, call) => {
    freezeTime();
    loseToken();
    const clients = [connectContribution(fake.backend, 'the-key'), fake.backend];
    const refused = clients.map((client) => expect(call(client)).rejects.toMatchObject({ kind: 'unreachable' }));
    // A look-up is tried again three times.
    await pass(10_000);
    await Promise.all(refused);
    expect(fake.calls).toEqual([]);
  });

  it.each(['ada', 'device'])('makes no row of %s with the login of another person (D9)', async (owner) => {
    loseToken({ data: { session: { ...STORED, user: { id: 'bea' } } as never }, error: null });
    const client = connectContribution(fake.backend, 'the-key', owner);
    await expect(createInterview(client, now)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it('begins no resumable upload as nobody', async () => {
    await loadTus();
    freezeTime();
    loseToken();
    const sent = uploadResumable(connectContribution(fake.backend, 'the-key'), { blob, path: '7/a.png' });
    const refused = expect(sent).rejects.toMatchObject({ kind: 'unreachable' });
    await waitForRetry();
    await pass(30_000);
    await refused;
    expect(fake.calls).toEqual([]);
  });

  it('counts as a backend that does not answer, so that the outbox waits', async () => {
    loseToken();
    expect(getStatus(await probeBackend(fake.backend))).toBe('unavailable');
  });

  it('is renewed where the backend says that its token has ended and the clock of this device does not', async () => {
    const recheck = vi.fn(() => Promise.resolve());
    fake.fail('GET interviews', refusal(401, 'PGRST303'));
    await probeBackend({ ...fake.backend, recheck });
    expect(recheck).toHaveBeenCalledOnce();
    await probeBackend({ ...fake.backend, recheck });
    expect(recheck).toHaveBeenCalledOnce();
  });

  it('needs no error of supabase-js: the session that is stored counts', async () => {
    loseToken({ data: { session: null }, error: null });
    await expect(updateTranscript(fake.backend, 7, 'Hallo')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(fake.calls).toEqual([]);
  });

  it('Sends nothing as nobody where the login was refused in the middle of a call (D9)', async () => {
    loseToken();
    localStorage.clear();
    await expect(updateTranscript(fake.backend, 7, 'Hallo')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(fake.calls).toEqual([]);
  });

  it.each(CALLS)('Goes with the key of its contribution where nobody is logged in (D9): %s', async (_name, call) => {
    await call(connectContribution(fake.backend, 'the-key'));
    expect(fake.calls[0]?.headers.get('authorization')).toBe('Bearer public-key');
    expect(fake.calls[0]?.headers.get('x-interview-key')).toBe('the-key');
  });

  it.each(CALLS)('goes with the token where there is one: %s', async (_name, call) => {
    localStorage.setItem(storageKey(), JSON.stringify(STORED));
    await call(connectContribution(fake.backend, 'the-key'));
    expect(fake.calls[0]?.headers.get('authorization')).toBe('Bearer ada-token');
  });
});
