import { afterEach, describe, expect, it, vi } from 'vitest';
import { AREAS, type AreaId } from '#contract/areas.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { listMedia } from '#web/backend/media.ts';
import { getContributionClient } from './contribution-client.ts';
import { keepKey, makeContributorLink, readKey } from './keys.ts';
import { startFakeBackend } from './testing/fake-backend.ts';
import { submissionStore } from './store.ts';

const getStore = (id: AreaId) => {
  const area = AREAS.find((candidate) => candidate.id === id);
  return submissionStore(area?.storageKeys ?? expect.fail(id));
};

const entries = (storage: Storage) => Object.fromEntries(Object.entries(storage));

afterEach(() => vi.restoreAllMocks());

describe('§3 browser storage', () => {
  it('has the keys of the generic area', () => {
    const store = getStore('generic');
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
    getStore(id).keepInterviewId('8');
    expect(entries(sessionStorage)).toEqual({ [key]: '8' });
    expect(getStore('generic').interviewId()).toBeUndefined();
  });

  it('tells a transcript that is still to be typed from none', () => {
    const store = getStore('generic');
    expect(store.transcript()).toBeUndefined();
    store.keepTranscript('', '7');
    expect(store.transcript()).toBe('');
  });

  it('Forgets the text but not that there was one (§2.11)', () => {
    const store = getStore('testnormec');
    store.keepTranscript('Hallo', '7');
    store.forgetTranscript();
    expect([store.transcript(), store.transcriptInterviewId()]).toEqual([undefined, '7']);
  });

  it('clears ids, transcript and key together, and only those', () => {
    localStorage.setItem('other', 'stays');
    const store = getStore('generic');
    keepKey('7', 'the-key');
    store.keepInterviewId('7');
    store.keepTranscript('Hallo', '7');
    store.clear();
    expect(entries(sessionStorage)).toEqual({});
    expect(entries(localStorage)).toEqual({ other: 'stays' });
  });

  it('clears of an earlier contribution only what is its own', () => {
    const store = getStore('generic');
    keepKey('8', 'the-key');
    store.keepTranscript('Hallo', '7');
    store.keepInterviewId('8');
    store.clear('7');
    expect([store.interviewId(), readKey('8'), store.transcript()]).toEqual(['8', 'the-key', undefined]);
    store.keepTranscript('Welt', '8');
    store.clear('7');
    expect(store.transcript()).toBe('Welt');
  });

  it('goes on where the browser refuses to keep anything', () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    expect(() => getStore('generic').keepTranscript('Hallo', '7')).not.toThrow();
  });
});

describe('Keys of contributions (D9)', () => {
  it('Carries the key of the contribution with each call about it, and no other key', async () => {
    const fake = startFakeBackend();
    keepKey('7', 'the-key');
    keepKey('8', 'another-key');
    await listMedia(getContributionClient(fake.backend, '7'), 7);
    await listMedia(getContributionClient(fake.backend, '9'), 9);
    const keys = fake.called('GET media_uploads').map(({ headers }) => headers.get('x-interview-key'));
    expect(keys).toEqual(['the-key', null]);
    fake.close();
  });

  it('Makes one client for a key', () => {
    const fake = startFakeBackend();
    const client = connectContribution(fake.backend, 'a');
    expect(connectContribution(fake.backend, 'a')).toBe(client);
    expect(connectContribution(fake.backend, 'b')).not.toBe(client);
    fake.close();
  });

  it('travel in the fragment, which no server sees', () => {
    const link = new URL(makeContributorLink('https://haus.test', '7', 'a-_b'));
    expect(link.pathname).toBe('/upload');
    expect(link.search).toBe('');
    expect(link.hash).toBe('#i=7&k=a-_b');
  });
});
