import { afterEach, describe, expect, it, vi } from 'vitest';
import { AREAS, type AreaId } from '#contract/areas.ts';
import { currentInterviewKey, makeInterviewKey } from '#web/backend/interview-key.ts';
import { adoptKeyOf, contributorLink, keyOf, rememberKeyOf } from './keys.ts';
import { submissionStore } from './store.ts';

const storeOf = (id: AreaId) => {
  const area = AREAS.find((candidate) => candidate.id === id);
  return submissionStore(area?.storageKeys ?? expect.fail(id));
};

const entries = (storage: Storage) => Object.fromEntries(Object.entries(storage));

afterEach(() => vi.restoreAllMocks());

describe('§3 browser storage', () => {
  it('has the keys of the generic area', () => {
    const store = storeOf('generic');
    store.keepInterviewId('7');
    store.keepTranscript('Hallo', '7');
    expect(entries(sessionStorage)).toEqual({
      currentInterviewId: '7',
      transcriptInterviewId: '7',
      latestTranscript: 'Hallo',
    });
    expect(entries(localStorage)).toEqual({ interviewTranscript: 'Hallo' });
  });

  it.each<[AreaId, string]>([
    ['firma-a', 'firmaACurrentInterviewId'],
    ['firma-b', 'firmaBCurrentInterviewId'],
    ['testnormec', 'testnormecCurrentInterviewId'],
  ])('keeps %s apart under %s', (id, key) => {
    storeOf(id).keepInterviewId('8');
    expect(entries(sessionStorage)).toEqual({ [key]: '8' });
    expect(storeOf('generic').interviewId()).toBeUndefined();
  });

  it('tells a transcript that is still to be typed from none', () => {
    const store = storeOf('generic');
    expect(store.transcript()).toBeUndefined();
    store.keepTranscript('', '7');
    expect(store.transcript()).toBe('');
  });

  it('§2.11 forgets the text but not that there was one', () => {
    const store = storeOf('testnormec');
    store.keepTranscript('Hallo', '7');
    store.forgetTranscript();
    expect([store.transcript(), store.transcriptInterviewId()]).toEqual([undefined, '7']);
  });

  it('clears ids, transcript and key together, and only those', () => {
    localStorage.setItem('other', 'stays');
    const store = storeOf('generic');
    makeInterviewKey();
    rememberKeyOf('7');
    store.keepInterviewId('7');
    store.keepTranscript('Hallo', '7');
    store.clear();
    expect(entries(sessionStorage)).toEqual({});
    expect(entries(localStorage)).toEqual({ other: 'stays' });
  });

  it('goes on where the browser refuses to keep anything', () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    expect(() => storeOf('generic').keepTranscript('Hallo', '7')).not.toThrow();
  });
});

describe('D9 keys', () => {
  it('come back with the contribution they belong to', () => {
    const first = makeInterviewKey();
    rememberKeyOf('7');
    makeInterviewKey();
    adoptKeyOf('7');
    expect(currentInterviewKey()).toBe(first);
    expect(keyOf('8')).toBeUndefined();
  });

  it('stay as they are for a contribution without one', () => {
    const key = makeInterviewKey();
    adoptKeyOf('9');
    expect(currentInterviewKey()).toBe(key);
  });

  it('travel in the fragment, which no server sees', () => {
    const link = new URL(contributorLink('https://haus.test', '7', 'a-_b'));
    expect(link.pathname).toBe('/upload');
    expect(link.search).toBe('');
    expect(link.hash).toBe('#i=7&k=a-_b');
  });
});
