import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AreaId, AREAS } from '#contract/areas.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { listMedia } from '#web/backend/media.ts';
import { getContributionClient } from './contribution-client.ts';
import { keepKey, readKey } from './keys.ts';
import { makeContributorLink } from './new-key.ts';
import { startFakeBackend } from '#tests/support/web/fake-backend.ts';
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
      'latestTranscript:contribution': '7',
    });
    expect(entries(localStorage)).toEqual({
      interviewTranscript: 'Hallo',
      'interviewTranscript:contribution': '7',
    });
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
    expect(store.transcript('7')).toBeUndefined();
    store.keepTranscript('', '7');
    expect(store.transcript('7')).toBe('');
  });

  it('Forgets the text but not that there was one (§2.11)', () => {
    const store = getStore('testnormec');
    store.keepTranscript('Hallo', '7');
    store.forgetTranscript('7');
    expect([store.transcript('7'), store.transcriptInterviewId()]).toEqual([undefined, '7']);
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
    expect([store.interviewId(), readKey('8'), store.transcript('7')]).toEqual(['8', 'the-key', undefined]);
    store.keepTranscript('Welt', '8');
    store.clear('7');
    expect(store.transcript('8')).toBe('Welt');
  });

  it('goes on where the browser refuses to keep anything', () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    expect(() => getStore('generic').keepTranscript('Hallo', '7')).not.toThrow();
  });

  it('A text that does not fit gives its name to no other', () => {
    const store = getStore('generic');
    store.keepTranscript('A', '6');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(function keepShort(this: Storage, key, value) {
      if (value.length > 20) throw new DOMException('full', 'QuotaExceededError');
      this[key] = value;
    });
    store.keepTranscript('B'.repeat(30), '7');
    expect([store.transcript('6'), store.transcript('7')]).toEqual(['A', undefined]);
  });
});

describe('Whose text it is (decision 0371)', () => {
  const [store, other] = [getStore('generic'), '6'];
  /** Only the local storage is shared by the tabs. */
  const openTab = () => sessionStorage.clear();
  const keepEarlier = (text: string, owner: string | null) => {
    sessionStorage.setItem('latestTranscript', text);
    localStorage.setItem('interviewTranscript', text);
    if (owner !== null) sessionStorage.setItem('transcriptInterviewId', owner);
  };

  it.each<[string, () => void, Readonly<Record<string, string | undefined>>]>([
    ['kept in this tab', () => store.keepTranscript('A', '7'), { '7': 'A', [other]: undefined }],
    [
      'kept in another tab',
      () => {
        store.keepTranscript('A', '7');
        openTab();
      },
      { '7': 'A', [other]: undefined },
    ],
    [
      'without an id yet, after one that has its own',
      () => {
        store.keepTranscript('A', '7');
        store.keepGrowing('Du: B', undefined);
      },
      { '7': undefined, [other]: undefined },
    ],
    [
      'growing, with an id',
      () => store.keepGrowing('Du: B', 'local_tech_dive_1_a'),
      { local_tech_dive_1_a: 'Du: B', '7': undefined },
    ],
    [
      'of a local id that became one of the database',
      () => {
        store.keepTranscript('A', 'local_voice_1_a');
        store.exchange('local_voice_1_a', '7');
        openTab();
      },
      { local_voice_1_a: undefined, '7': 'A' },
    ],
    ['of an earlier version', () => keepEarlier('A', '7'), { '7': 'A', [other]: undefined }],
    [
      'of an earlier version, in another tab',
      () => {
        keepEarlier('A', '7');
        openTab();
      },
      { '7': undefined, [other]: undefined },
    ],
  ])('A text %s', (_name, keep, expected) => {
    keep();
    for (const [id, text] of Object.entries(expected)) expect(store.transcript(id)).toBe(text);
    expect(store.transcript(undefined)).toMatch(/A|Du: B/);
  });

  it('A text that grows does not end the contribution at hand', () => {
    store.keepInterviewId('7');
    store.keepGrowing('Du: Hallo', '7');
    expect([store.openInterviewId(), store.transcriptInterviewId()]).toEqual(['7', undefined]);
  });

  it('What another tab began outlives the end of this contribution, and so does an unknown text', () => {
    store.keepTranscript('A', other);
    openTab();
    store.keepInterviewId('7');
    store.clear('7');
    expect(store.transcript(other)).toBe('A');
    localStorage.removeItem('interviewTranscript:contribution');
    store.clear('7');
    expect(store.transcript(undefined)).toBe('A');
  });

  it('What this tab began before outlives it, too', () => {
    store.keepTranscript('A', other);
    store.keepInterviewId('7');
    store.clear('7');
    expect([store.transcript(other), store.transcriptInterviewId(), store.interviewId()]).toEqual([
      'A',
      other,
      undefined,
    ]);
  });

  it('A fresh start clears what this tab has, and a text of unknown origin', () => {
    store.keepTranscript('A', other);
    store.keepInterviewId('7');
    store.clear();
    expect([store.transcript(undefined), store.transcriptInterviewId()]).toEqual([undefined, undefined]);
    keepEarlier('B', null);
    openTab();
    store.clear();
    expect(entries(localStorage)).toEqual({});
  });

  it('A fresh start leaves what another tab began', () => {
    store.keepTranscript('A', other);
    openTab();
    store.clear();
    expect(store.transcript(other)).toBe('A');
  });

  it('The end of a contribution that was begun with an earlier version clears its text in both places', () => {
    keepEarlier('A', '7');
    store.keepInterviewId('7');
    store.clear('7');
    expect([entries(sessionStorage), entries(localStorage)]).toEqual([{}, {}]);
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
