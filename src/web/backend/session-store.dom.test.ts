import { afterEach, describe, expect, it, vi } from 'vitest';
import { INACTIVITY_LOGOUT_MS } from '#contract/limits.ts';
import { connectBackend } from './connect.ts';
import { signOutEverywhere } from './own-account.ts';
import { createSessionStore, type SessionStore } from './session-store.ts';
import {
  noConnection,
  SESSION_KEY,
  storeSession,
  STUB_CONFIG,
  STUB_USER,
  stubServer,
  stubSession,
  tellFromOtherTab,
} from '#tests/support/web/stub-server.ts';

const ROLE = 'GET /rest/v1/user_roles';
const LOGOUT = 'POST /auth/v1/logout';
const roleIs = (role: string) => () => Response.json({ role });
const noRow = () => Response.json({ code: 'PGRST116', message: 'none', details: '', hint: null }, { status: 406 });
const broken = () => Response.json({ code: 'XX000', message: 'down' }, { status: 500 });

const storeOther = () => localStorage.setItem(SESSION_KEY, JSON.stringify({ ...stubSession(), user: { id: 'other' } }));

let stop: (() => void) | undefined;

afterEach(async () => {
  stop?.();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function started(): SessionStore {
  const store = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
  const stopStore = store.start();
  stop = () => {
    stopStore();
    void store.backend().then(({ supabase }) => supabase.auth.stopAutoRefresh());
  };
  return store;
}

async function settled(store: SessionStore, role: string): Promise<void> {
  await vi.waitFor(() => expect(store.getState()).toMatchObject({ status: 'signed-in', role: { status: role } }));
}

describe('§2.1 the session at the start', () => {
  it('is signed out at once where this browser holds none', () => {
    stubServer({});
    expect(started().getState()).toEqual({ status: 'signed-out', left: false });
  });

  it('waits for the backend where it holds one', async () => {
    stubServer({ [ROLE]: roleIs('firma_a') });
    storeSession();
    const store = started();
    expect(store.getState()).toEqual({ status: 'initialising' });
    await settled(store, 'known');
    expect(store.getState()).toMatchObject({
      user: { username: 'mara' },
      role: { role: 'firma_a', remembered: false },
    });
  });

  it('is known before the client where its token is good and its role was seen before (decision 0305)', async () => {
    const calls = stubServer({ [ROLE]: roleIs('firma_a') });
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_b');
    storeSession();
    const store = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
    expect(store.getState()).toMatchObject({ user: { username: 'mara' }, role: { role: 'firma_b', remembered: true } });
    expect(calls).toEqual([]);
    const stopStore = store.start();
    stop = () => {
      stopStore();
      void store.backend().then(({ supabase }) => supabase.auth.stopAutoRefresh());
    };
    await vi.waitFor(() => expect(store.getState()).toMatchObject({ role: { role: 'firma_a', remembered: false } }));
  });

  it('ends, here and at the backend, where the browser was left for 30 minutes with every tab closed (§4)', async () => {
    const calls = stubServer({ [ROLE]: roleIs('firma_a'), [LOGOUT]: () => new Response(null, { status: 204 }) });
    storeSession();
    localStorage.setItem('last_activity', String(Date.now() - INACTIVITY_LOGOUT_MS));
    expect(started().getState()).toEqual({ status: 'signed-out', left: false });
    expect(localStorage.getItem(SESSION_KEY)).toBeNull();
    expect(localStorage.getItem('data_owner'), 'so that /upload can say so').toBe(STUB_USER.id);
    await vi.waitFor(() => expect(calls).toContain(LOGOUT));
  });

  it('forgets the current contribution of a guest at a login, but not its key (§4, decision 0393)', async () => {
    stubServer({ [ROLE]: roleIs('firma_a') });
    const guests = { currentInterviewId: '7', 'pending_interview_key:generic': 'k', 'interview_key:7': 'k' };
    for (const [key, value] of Object.entries(guests)) sessionStorage.setItem(key, value);
    started();
    const kept = () => Object.keys(guests).filter((key) => sessionStorage.getItem(key) !== null);
    expect(kept(), 'while nobody is logged in').toHaveLength(3);
    storeSession();
    await settled(started(), 'known');
    expect(kept()).toEqual(['interview_key:7']);
    stop?.();
    sessionStorage.setItem('currentInterviewId', '8');
    await settled(started(), 'known');
    expect(sessionStorage.getItem('currentInterviewId'), 'after a reload').toBe('8');
  });

  it('goes on where the browser was left for less than 30 minutes (§4)', async () => {
    stubServer({ [ROLE]: roleIs('firma_a') });
    storeSession();
    localStorage.setItem('last_activity', String(Date.now() - INACTIVITY_LOGOUT_MS + 60_000));
    await settled(started(), 'known');
  });

  it('waits for the client where its token has to be renewed first (decision 0305)', () => {
    stubServer({ [ROLE]: roleIs('firma_a') });
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_b');
    storeSession(60);
    expect(started().getState()).toEqual({ status: 'initialising' });
  });

  it.each([
    ['§5 none or two rows', noRow],
    ['§6 a role nobody knows', roleIs('superuser')],
  ])('%s: no role', async (_name, answer) => {
    stubServer({ [ROLE]: answer });
    storeSession();
    const store = started();
    await settled(store, 'none');
  });

  it('opens the area with the role remembered while the backend is broken', async () => {
    stubServer({ [ROLE]: broken });
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_b');
    storeSession();
    const store = started();
    await settled(store, 'known');
    expect(store.getState()).toMatchObject({ role: { role: 'firma_b', remembered: true } });
  });

  it('waits for no line that hangs where the role is remembered, and takes the answer when it comes', async () => {
    let answer: (response: Response) => void = () => undefined;
    stubServer({ [ROLE]: () => new Promise<Response>((resolve) => (answer = resolve)) });
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_b');
    storeSession();
    const store = started();
    await settled(store, 'known');
    expect(store.getState()).toMatchObject({ role: { role: 'firma_b', remembered: true } });
    await vi.waitFor(() => {
      answer(Response.json({ role: 'firma_a' }));
      expect(store.getState()).toMatchObject({ role: { role: 'firma_a', remembered: false } });
    });
  });

  it("does not use another user's remembered role, and asks again on demand", async () => {
    const answers = { [ROLE]: broken };
    stubServer(answers);
    localStorage.setItem('last_role:somebody-else', 'admin');
    storeSession();
    const store = started();
    await settled(store, 'unreachable');
    answers[ROLE] = roleIs('testnormec');
    await store.refreshRole();
    expect(store.getState()).toMatchObject({ role: { status: 'known', role: 'testnormec' } });
  });

  it('a refusal is looked into: the session is renewed and the role asked for again, once however many refuse', async () => {
    const answers = { [ROLE]: roleIs('admin'), 'POST /auth/v1/token': () => Response.json(stubSession()) };
    const asked = stubServer(answers);
    storeSession();
    const store = started();
    await settled(store, 'known');
    answers[ROLE] = roleIs('firma_b');
    await Promise.all([store.recheck(), store.recheck()]);
    await vi.waitFor(() => expect(store.getState()).toMatchObject({ role: { status: 'known', role: 'firma_b' } }));
    expect(asked.filter((call) => call.startsWith('POST /auth/v1/token'))).toHaveLength(1);
  });

  it('a refusal of a session that is over ends it', async () => {
    stubServer({
      [ROLE]: roleIs('admin'),
      'POST /auth/v1/token': () =>
        Response.json({ code: 400, error_code: 'session_not_found', msg: 'x' }, { status: 400 }),
    });
    storeSession();
    const store = started();
    await settled(store, 'known');
    await store.recheck();
    await vi.waitFor(() => expect(store.getState()).toMatchObject({ status: 'signed-out' }));
  });

  it('opens the area where the storage has no room for the role', async () => {
    stubServer({ [ROLE]: roleIs('firma_a') });
    storeSession();
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await settled(started(), 'known');
  });

  it('keeps an expired session that cannot be refreshed for want of a network', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    stubServer({ 'POST /auth/v1/token': noConnection, [ROLE]: noConnection });
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_a');
    storeSession(-60);
    const store = started();
    expect(store.getState()).toMatchObject({
      status: 'signed-in',
      role: { status: 'known', role: 'firma_a', remembered: true },
    });
  });

  it('Removes the session where a refresh is refused for good (§4)', async () => {
    stubServer({
      'POST /auth/v1/token': () =>
        Response.json(
          { code: 400, error_code: 'refresh_token_not_found', msg: 'Invalid Refresh Token' },
          { status: 400 },
        ),
    });
    storeSession(-60);
    const store = started();
    await vi.waitFor(() => expect(store.getState().status).toBe('signed-out'));
    expect(localStorage.getItem(SESSION_KEY)).toBeNull();
  });
});

describe('§4 events of the session', () => {
  it('SIGNED_IN, then the role', async () => {
    stubServer({ [ROLE]: roleIs('admin'), 'POST /auth/v1/token': () => Response.json(stubSession()) });
    const store = started();
    const { supabase } = await store.backend();
    await supabase.auth.signInWithPassword({ email: STUB_USER.email, password: 'x' });
    await settled(store, 'known');
  });

  it.each([401, 403, 404, 500])('logout clears everything, though the backend answers %s', async (status) => {
    const calls = stubServer({ [ROLE]: roleIs('admin'), 'POST /auth/v1/logout': () => Response.json({}, { status }) });
    storeSession();
    const store = started();
    await settled(store, 'known');
    sessionStorage.setItem('currentInterviewId', '7');
    localStorage.setItem('last_activity', '1');
    localStorage.setItem('auth_token', 'x');
    localStorage.setItem('firmaAInterviewTranscript', 'x');
    localStorage.setItem('transcription_api_key', 'sk-own');
    localStorage.setItem('sb-backend-of-before-auth-token', '{"user":{}}');
    await store.signOut();
    expect(store.getState()).toEqual({ status: 'signed-out', left: true });
    expect(sessionStorage).toHaveLength(0);
    expect(Object.keys(localStorage)).toEqual([]);
    expect(calls).toContain('POST /auth/v1/logout');
  });

  it.each([
    ['logout everywhere', (store: SessionStore) => store.backend().then(signOutEverywhere)],
    ['logout in another tab', () => (localStorage.clear(), tellFromOtherTab('SIGNED_OUT', null))],
  ])('A %s is a logout: nothing stays, and the path left behind is not remembered', async (_name, logout) => {
    stubServer({ [ROLE]: roleIs('admin'), 'POST /auth/v1/logout': () => new Response(null, { status: 204 }) });
    storeSession();
    const store = started();
    await settled(store, 'known');
    sessionStorage.setItem('interview_key:7', 'k');
    localStorage.setItem('interviewTranscript', 'x');
    localStorage.setItem('transcription_api_key', 'sk-own');
    await logout(store);
    await vi.waitFor(() => expect(store.getState()).toEqual({ status: 'signed-out', left: true }));
    expect([...Object.keys(sessionStorage), ...Object.keys(localStorage)]).toEqual([]);
  });

  it('A logout everywhere takes the key of a review out of its own tab (0412)', async () => {
    stubServer({ [ROLE]: roleIs('admin'), [LOGOUT]: () => new Response(null, { status: 204 }) });
    storeSession();
    const store = started();
    await settled(store, 'known');
    sessionStorage.setItem('review_key', 'k');
    await store.backend().then(signOutEverywhere);
    expect(sessionStorage.getItem('review_key')).toBeNull();
  });

  it('A logout elsewhere, or at this tab’s opening, leaves a review’s key; another account takes it (0412)', async () => {
    stubServer({ [ROLE]: roleIs('admin'), [LOGOUT]: () => new Response(null, { status: 204 }) });
    storeSession();
    sessionStorage.setItem('review_key', 'k');
    const store = started();
    await settled(store, 'known');
    localStorage.clear();
    await tellFromOtherTab('SIGNED_OUT', null);
    await vi.waitFor(() => expect(store.getState()).toEqual({ status: 'signed-out', left: true }));
    expect(Object.keys(sessionStorage)).toEqual(['review_key']);
    stop?.();
    storeSession();
    await settled(started(), 'known');
    expect(sessionStorage.getItem('review_key'), 'a login as the reader of the review').toBe('k');
    storeOther();
    await settled(started(), 'known');
    expect(sessionStorage.getItem('review_key')).toBeNull();
  });

  it('logout leaves the words for a review, which belong to the bearer of the link (0356)', async () => {
    stubServer({ [ROLE]: roleIs('admin'), 'POST /auth/v1/logout': () => Response.json({}) });
    storeSession();
    const store = started();
    await settled(store, 'known');
    localStorage.setItem('review_draft:7', '{}');
    await store.signOut();
    expect(Object.keys(localStorage)).toEqual(['review_draft:7']);
  });

  it('logout leaves nothing of a role that is answered after it', async () => {
    const answer = Promise.withResolvers<Response>();
    const held = () => answer.promise.then((response) => response.clone());
    const calls = stubServer({ [ROLE]: held, 'POST /auth/v1/logout': () => Response.json({}) });
    storeSession();
    const store = started();
    await vi.waitFor(() => expect(calls).toContain(ROLE));
    const asked = store.refreshRole();
    await store.signOut();
    answer.resolve(Response.json({ role: 'admin' }));
    await asked;
    expect(Object.keys(localStorage)).toEqual([]);
  });

  const refused = () => Response.json({ code: 'refresh_token_not_found', message: 'gone' }, { status: 400 });
  const ended = () => new Response(null, { status: 204 });
  it.each<[string, (store: SessionStore) => Promise<unknown>, string, () => Response]>([
    ['logout', (store) => store.signOut(), 'POST /auth/v1/logout', ended],
    ['logout everywhere', (store) => store.backend().then(signOutEverywhere), 'POST /auth/v1/logout', ended],
    ['refused refresh', (store) => store.recheck(), 'POST /auth/v1/token', refused],
  ])('A %s that is answered late leaves the login after it alone', async (_name, begin, call, late) => {
    const answer = Promise.withResolvers<Response>();
    const answers: Record<string, () => Response | Promise<Response>> = {
      [ROLE]: roleIs('firma_a'),
      [call]: () => answer.promise,
    };
    const calls = stubServer(answers);
    storeSession();
    const store = started();
    await settled(store, 'known');
    const begun = begin(store);
    await vi.waitFor(() => expect(calls).toContain(call));
    answers['POST /auth/v1/token'] = () => Response.json(stubSession(7_200));
    const { supabase } = await store.backend();
    await supabase.auth.signInWithPassword({ email: STUB_USER.email, password: 'x' });
    answer.resolve(late());
    await begun;
    await settled(store, 'known');
    expect(localStorage.getItem(SESSION_KEY)).not.toBeNull();
  });

  it('Says that it is not logged out everywhere while the login has no token (0355)', async () => {
    const calls = stubServer({});
    const backend = connectBackend(STUB_CONFIG);
    vi.spyOn(backend.supabase.auth, 'getSession').mockResolvedValue({ data: { session: null }, error: null });
    await expect(signOutEverywhere(backend)).rejects.toMatchObject({ problem: 'unreachable' });
    expect(calls).toEqual([]);
  });

  it('A new password that is answered after the logout does not log in again, not even for a moment (decision 0358)', async () => {
    const answer = Promise.withResolvers<Response>();
    const update = 'PUT /auth/v1/user';
    const calls = stubServer({ [ROLE]: roleIs('firma_a'), [update]: () => answer.promise });
    storeSession();
    const store = started();
    await settled(store, 'known');
    const { supabase } = await store.backend();
    const updated = supabase.auth.updateUser({ password: 'neu' });
    await vi.waitFor(() => expect(calls).toContain(update));
    await store.signOut();
    const states: string[] = [];
    store.subscribe(() => states.push(store.getState().status));
    answer.resolve(Response.json(stubSession().user));
    expect((await updated).error).toBeNull();
    await vi.waitFor(() => expect(localStorage.getItem(SESSION_KEY)).toBeNull());
    expect(store.getState()).toEqual({ status: 'signed-out', left: true });
    expect(states).not.toContain('signed-in');
    stop?.();
    // As after a reload.
    expect(started().getState()).toMatchObject({ status: 'signed-out' });
  });

  it('Leaves a session that was ended elsewhere, whose role is hidden like everything else', async () => {
    stubServer({
      [ROLE]: noRow,
      'GET /auth/v1/user': () => Response.json({ error_code: 'session_not_found', msg: 'gone' }, { status: 403 }),
    });
    storeSession();
    const store = started();
    await vi.waitFor(() => expect(store.getState()).toEqual({ status: 'signed-out', left: false }));
    expect(localStorage.getItem(SESSION_KEY)).toBeNull();
  });

  it.each([
    ['Another account finds nothing of the last one', 'gone', () => storeOther()],
    ['A logout in another tab clears this one', 'gone', () => localStorage.clear()],
    ['The same account finds its work after a session that ended', 'kept', () => storeSession()],
    ['Work stays when a session has ended', 'kept', () => undefined],
  ])('%s', async (_name, expected, next) => {
    stubServer({ [ROLE]: roleIs('admin') });
    storeSession();
    await settled(started(), 'known');
    stop?.();
    sessionStorage.setItem('currentInterviewId', '7');
    localStorage.setItem('interviewTranscript', 'x');
    localStorage.setItem('interviewTranscript:contribution', '7');
    localStorage.removeItem(SESSION_KEY);
    next();
    started();
    const kept = [
      sessionStorage.getItem('currentInterviewId'),
      localStorage.getItem('interviewTranscript'),
      localStorage.getItem('interviewTranscript:contribution'),
    ];
    expect(kept).toEqual(expected === 'kept' ? ['7', 'x', '7'] : [null, null, null]);
  });

  it('logout without a network is a logout', async () => {
    stubServer({ [ROLE]: roleIs('admin'), 'POST /auth/v1/logout': noConnection });
    storeSession();
    const store = started();
    await settled(store, 'known');
    await store.signOut();
    expect(localStorage).toHaveLength(0);
  });
});
