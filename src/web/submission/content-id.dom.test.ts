import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { clearUserData } from '#web/backend/browser-storage.ts';
import { BackendError } from '#web/backend/errors.ts';
import type { BackendStatus } from '#web/backend/status.ts';
import { NO_ANSWERS } from '#web/backend/w-questions.ts';
import { tellScreenShown } from '#web/ui/after-load.ts';
import { type ContentIdDecision, type ContentIdDeps, decideContentId, resolveContentId } from './content-id.ts';
import { readKey } from './keys.ts';
import { beginKey } from './new-key.ts';
import { DEVICE_OWNER } from './outbox/entry.ts';
import { browserOutbox } from './outbox/outbox.ts';
import { keepAnswers } from './saving.ts';
import { submissionStore } from './store.ts';
import { type FakeBackend, NETWORK, refusal, startFakeBackend } from '#tests/support/web/fake-backend.ts';
import { emptyOutbox } from '#tests/support/web/fixtures.ts';
import '#tests/support/indexed-db.ts';

const generic = AREAS.find((area) => area.id === 'generic') ?? expect.fail('no generic area');

const LOCAL = 'local_voice_1_a';
const KEEPING = { owner: DEVICE_OWNER, area: 'generic' } as const;

describe('§4 interview id resolution, the decision', () => {
  type Row = [string | undefined, string | undefined, boolean, BackendStatus, ContentIdDecision];
  it.each<Row>([
    ['1', '2', true, 'ready', { step: 'use', id: '1', source: 'state' }],
    ['1', undefined, false, 'unavailable', { step: 'use', id: '1', source: 'state' }],
    [undefined, '2', false, 'checking', { step: 'use', id: '2', source: 'session' }],
    [undefined, '2', true, 'ready', { step: 'create' }],
    [undefined, '2', true, 'unavailable', { step: 'local' }],
    [undefined, undefined, false, 'ready', { step: 'create' }],
    [undefined, undefined, false, 'limited', { step: 'create' }],
    [undefined, undefined, false, 'unavailable', { step: 'local' }],
    [undefined, undefined, false, 'checking', { step: 'wait' }],
    [LOCAL, '2', true, 'checking', { step: 'wait' }],
    [LOCAL, '2', true, 'unavailable', { step: 'use', id: LOCAL, source: 'state' }],
    [LOCAL, '2', false, 'limited', { step: 'exchange', id: LOCAL, source: 'state' }],
    [undefined, LOCAL, false, 'ready', { step: 'exchange', id: LOCAL, source: 'session' }],
    [undefined, LOCAL, true, 'ready', { step: 'create' }],
  ])('state %s, session %s, new %s, %s', (fromState, stored, requireNew, status, expected) => {
    expect(decideContentId({ fromState, stored, requireNew, status })).toEqual(expected);
  });
});

describe('§4 interview id resolution, carried out', () => {
  let fake: FakeBackend;
  let deps: ContentIdDeps;
  const request = { fromState: undefined, kind: 'voice', requireNew: false } as const;

  beforeEach(() => {
    tellScreenShown();
    fake = startFakeBackend();
    const store = submissionStore(generic.storageKeys);
    const checkStatus = vi.fn(() => Promise.resolve<BackendStatus>('ready'));
    deps = { area: generic, backend: fake.backend, store, checkStatus, now: () => new Date(1700) };
  });
  afterEach(() => fake.close());

  it('inserts created_at and reads the id; D9 the key exists before and belongs to the id after', async () => {
    const content = await resolveContentId(deps, request);
    expect(content).toEqual({ id: '4711', source: 'created' });
    const [insert] = fake.called('POST interviews');
    expect(insert?.body).toEqual({ created_at: new Date(1700).toISOString() });
    expect(insert?.headers.get('x-interview-key')).toMatch(/^[\w-]{43}$/);
    expect(readKey('4711')).toBe(insert?.headers.get('x-interview-key'));
    expect(sessionStorage.getItem('currentInterviewId')).toBe('4711');
  });

  it('desk: tells where a new contribution was begun, once', async () => {
    const area = AREAS.find(({ id }) => id === 'firma-a') ?? expect.fail('no firma-a');
    await resolveContentId({ ...deps, area }, { ...request, kind: 'tech-dive' });
    await resolveContentId({ ...deps, area }, request);
    const origin = { interview_id: 4711, area: 'firma-a', kind: 'interview', topic: 'tech-dive' };
    await vi.waitFor(() => expect(fake.origins).toContainEqual(origin));
    // That of an earlier test may still have been under way.
    expect(fake.origins.filter((row) => JSON.stringify(row).includes('firma-a'))).toHaveLength(1);
  });

  it.each(['here', 'on the device'])(
    'a film that has still to arrive is one, begun %s (decision 0275)',
    async (where) => {
      if (where !== 'here') deps.store.keepInterviewId('local_1_b');
      await resolveContentId(deps, { ...request, kind: 'plain', way: 'video' });
      await vi.waitFor(() => expect(fake.origins).toContainEqual(expect.objectContaining({ kind: 'video' })));
    },
  );

  it.each([
    ['before the insert', (clear: () => void) => clear()],
    ['during the insert', queueMicrotask],
  ])('Leaves nothing here after a logout %s, and can still send (§4)', async (_when, run) => {
    const now = () => {
      run(() => clearUserData());
      return new Date(1700);
    };
    await resolveContentId({ ...deps, now }, request);
    deps.store.keepTranscript('Du: geheim', '4711');
    expect([sessionStorage.length, localStorage.length]).toEqual([0, 0]);
    expect(readKey('4711')).toBe(fake.called('POST interviews')[0]?.headers.get('x-interview-key'));
  });

  it('Leaves the id of a contribution that was begun while the answer was awaited (§4)', async () => {
    const checkStatus = (): Promise<BackendStatus> => {
      deps.store.keepInterviewId('4712');
      return Promise.resolve('ready');
    };
    expect(await resolveContentId({ ...deps, checkStatus }, request)).toEqual({ id: '4711', source: 'created' });
    expect(deps.store.interviewId()).toBe('4712');
  });

  it.each([
    ['gets its id of the database', () => deps.store.exchange('local_1_a', '4700')],
    ['is forgotten', () => deps.store.clear('local_1_a')],
  ])('Keeps its id where only the earlier contribution %s meanwhile (§4)', async (_what, change) => {
    deps.store.keepInterviewId('local_1_a');
    const checkStatus = (): Promise<BackendStatus> => {
      change();
      return Promise.resolve('ready');
    };
    await resolveContentId({ ...deps, checkStatus }, { ...request, requireNew: true });
    expect(deps.store.interviewId()).toBe('4711');
  });

  it('uses the stored id afterwards, without another row', async () => {
    await resolveContentId(deps, request);
    expect(await resolveContentId(deps, request)).toEqual({ id: '4711', source: 'session' });
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('repeats the token of an insert that a reload interrupted, once (decision 0041)', async () => {
    const interrupted = beginKey(generic.id);
    await resolveContentId(deps, request);
    await resolveContentId(deps, { ...request, requireNew: true });
    const [token, next] = fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'));
    expect([token, next === token]).toEqual([interrupted, false]);
  });

  it.each<[string, BackendStatus]>([
    ['the question for the backend', 'unavailable'],
    ['the insert', 'ready'],
  ])('Makes no local id where a reload broke off %s (decision 0041)', async (_what, status) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => void window.dispatchEvent(new Event('pageshow')));
    window.dispatchEvent(new Event('pagehide'));
    fake.fail('POST interviews', NETWORK, 9);
    const resolved = resolveContentId({ ...deps, checkStatus: () => Promise.resolve(status) }, request);
    await expect(resolved).rejects.toBeInstanceOf(BackendError);
    expect(deps.store.interviewId()).toBeUndefined();
    // Its row, if there is one, is found by the same token.
    for (const { headers } of fake.called('POST interviews'))
      expect(headers.get('x-submission-token')).toBe(beginKey(generic.id));
  });

  it('begins with a token of its own after an insert that failed', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.fail('POST interviews', refusal(500, 'XX000'));
    await resolveContentId(deps, request);
    await resolveContentId(deps, { ...request, requireNew: true });
    const [failed, next] = fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'));
    expect(next).not.toBe(failed);
  });

  it('Gives what another screen begins meanwhile its own row; the same one finds its first (0041, 0358)', async () => {
    const line = Promise.withResolvers<void>();
    fake.fail('POST interviews', line.promise, 3);
    const all = [request, { ...request, kind: 'plain' } as const, request].map((one) => resolveContentId(deps, one));
    await vi.waitFor(() => expect(fake.called('POST interviews')).toHaveLength(3));
    line.resolve();
    await Promise.all(all);
    const [voice, file, again] = fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'));
    expect([again === voice, file === voice]).toEqual([true, false]);
    expect(beginKey(generic.id)).not.toBe(voice);
  });

  it('Gives a picture and a film that are begun at once a row each (0358)', async () => {
    const line = Promise.withResolvers<void>();
    fake.fail('POST interviews', line.promise, 2);
    const ways = ['image', 'video'].map((way) => resolveContentId(deps, { ...request, kind: 'plain', way }));
    await vi.waitFor(() => expect(fake.called('POST interviews')).toHaveLength(2));
    line.resolve();
    await Promise.all(ways);
    const tokens = fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'));
    expect(new Set(tokens).size).toBe(2);
  });

  it('Begins one where the storage of this tab is full, and can still send (D9)', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    expect(await resolveContentId(deps, request)).toEqual({ id: '4711', source: 'created' });
    full.mockRestore();
    expect(readKey('4711')).toBe(fake.called('POST interviews')[0]?.headers.get('x-interview-key'));
  });

  it('Gives each new contribution a key of its own and keeps the first key (D9)', async () => {
    await resolveContentId(deps, request);
    const first = readKey('4711');
    const second = await resolveContentId(deps, { ...request, requireNew: true });
    expect(readKey(second.id)).not.toBe(first);
    expect(readKey('4711')).toBe(first);
  });

  it.each([
    ['no answer', NETWORK],
    ['a refusal', refusal(403, '42501')],
    ['a failure', refusal(500, 'XX000')],
  ])('Ends in a local id after %s (§8)', async (_name, failure) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.fail('POST interviews', failure, 9);
    const content = await resolveContentId(deps, request);
    expect(content.source).toBe('local');
    expect(content.id).toMatch(/^local_voice_1700_/);
    expect(sessionStorage.getItem('currentInterviewId')).toBe(content.id);
  });

  it('Uses the row of an earlier insert with the same token (D9)', async () => {
    fake.fail('POST interviews', refusal(409, '23505'));
    fake.fail('GET interviews', { status: 200, body: [{ id: 77 }] });
    expect(await resolveContentId(deps, request)).toEqual({ id: '77', source: 'created' });
    const [insert] = fake.called('POST interviews');
    expect(insert?.headers.get('x-submission-token')).toBe(readKey('77'));
  });

  it('The key of an insert without an answer stays with the local id: sent later, it finds that row (D9)', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.fail('POST interviews', NETWORK, 9);
    const { id } = await resolveContentId(deps, request);
    expect(readKey(id)).toBe(fake.called('POST interviews')[0]?.headers.get('x-interview-key'));
  });

  it('Exchanges a local id once the backend answers, with what was kept of it, under its key (§3, D9)', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const silent: ContentIdDeps = { ...deps, checkStatus: () => Promise.resolve('unavailable') };
    const { id } = await resolveContentId(silent, request);
    deps.store.keepTranscript('Du: Hallo', id);
    keepAnswers(id, { ...NO_ANSWERS, who: 'Ada' });
    expect(await resolveContentId(silent, request)).toEqual({ id, source: 'session' });
    // The row is there, the text is not: another attempt goes on with the same row.
    fake.fail('PATCH interviews', NETWORK);
    expect(await resolveContentId(deps, request)).toEqual({ id, source: 'session' });
    fake.fail('POST interviews', refusal(409, '23505'));
    fake.fail('GET interviews', { status: 200, body: [{ id: 4711 }] });
    expect(await resolveContentId(deps, request)).toEqual({ id: '4711', source: 'session' });
    expect(deps.store.transcriptInterviewId()).toBe('4711');
    const keys = fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'));
    expect(new Set(keys)).toEqual(new Set([readKey('4711')]));
    const sent = fake.called('PATCH interviews').map(({ body }) => body);
    expect(sent).toContainEqual(expect.objectContaining({ transcript: 'Du: Hallo' }));
    expect(sent).toContainEqual({ w_questions_answers: { ...NO_ANSWERS, who: 'Ada' } });
  });

  it.each([
    ['as long as the outbox sends it', () => browserOutbox().keep({ ...KEEPING, contentId: LOCAL }, [])],
    ['after a logout', async () => clearUserData()],
  ])('Leaves a local id %s (§4)', async (_when, before) => {
    await before();
    expect((await resolveContentId(deps, { ...request, fromState: LOCAL })).id).toBe(LOCAL);
    expect(fake.calls).toEqual([]);
    await emptyOutbox(DEVICE_OWNER);
  });

  it('Looks a second time before it makes a local id: the first is spent on a slow line (§4)', async () => {
    const answers: BackendStatus[] = ['unavailable', 'ready'];
    const checkStatus = () => Promise.resolve(answers.shift() ?? 'unavailable');
    expect(await resolveContentId({ ...deps, checkStatus }, request)).toEqual({ id: '4711', source: 'created' });
  });

  it('makes a local id without asking where the backend is unavailable', async () => {
    const content = await resolveContentId({ ...deps, checkStatus: () => Promise.resolve('unavailable') }, request);
    expect(content.source).toBe('local');
    expect(fake.calls).toEqual([]);
  });
});
