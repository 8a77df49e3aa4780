import '#tests/support/indexed-db.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BackendClient } from '#web/backend/client.ts';
import {
  type FakeBackend,
  NETWORK,
  refusal,
  startFakeBackend,
  storageRefusal,
} from '#tests/support/web/fake-backend.ts';
import { DEVICE_OWNER, type Entry, type FileContent, type PartDraft, statusOfEntry } from './entry.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';
import { createPulse, type DrainDeps, type Locks, type OutboxWorker, startWorker } from './worker.ts';

const ADA = { owner: 'ada', area: 'generic', contentId: 'local_1_a' } as const;
const DAY_MS = 86_400_000;
const AUDIO: PartDraft = {
  kind: 'recording',
  blob: new Blob(['ton'], { type: 'audio/webm' }),
  name: 'Sprachnachricht.webm',
};
const TEXT: PartDraft = { kind: 'transcript', text: 'Hallo Welt' };
const CONTACT: PartDraft = {
  kind: 'contact',
  contact: { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test' },
};
const ANSWERS: PartDraft = { kind: 'answers', answers: { who: 'w', what: 'x', when: 'y', where: 'h', why: 'd' } };

let fake: FakeBackend;
let now: number;
let count = 0;
let store: OutboxStore;
let outbox: Outbox;
let workers: OutboxWorker[];
beforeEach(() => {
  fake = startFakeBackend();
  now = 20_000 * DAY_MS;
  count += 1;
  workers = [];
  [store, outbox] = openTab();
});
afterEach(() => {
  for (const worker of workers) worker.stop();
  fake.close();
});

/** Another tab, or the same after a reload: nothing in memory, the same device. */
function openTab(channel?: Parameters<typeof createOutbox>[1]): [OutboxStore, Outbox] {
  const opened = createOutboxStore({ now: () => now, name: `outbox-${count}`, sliceBytes: 4 });
  return [opened, createOutbox(opened, channel, () => now)];
}

/** A channel between two tabs: each hears what the other says. */
function linkTabs() {
  const [here, there] = [new EventTarget(), new EventTarget()];
  const sayTo = (other: EventTarget) => (data: unknown) =>
    void other.dispatchEvent(new MessageEvent('message', { data }));
  const join = (own: EventTarget, other: EventTarget) => Object.assign(own, { postMessage: sayTo(other) });
  return [join(here, there), join(there, here)] as const;
}

/** Web Locks between the tabs of one browser: one holder at a time, in order. */
function fakeLocks(): Locks {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, _options: LockOptions, work: () => Promise<unknown>): Promise<unknown> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return { request } as unknown as Locks;
}

type Reported = Readonly<{ again: (() => void) | undefined; asked: number }>;

/** Sends until the round is over. */
function makeWorker(
  tab: Outbox,
  options: Readonly<{
    owner?: string;
    locks?: Locks;
    alive?: Parameters<typeof createPulse>[0];
    currentOwner?: () => string;
    reachable?: () => boolean;
    keys?: string[];
    recheck?: () => Promise<void>;
  }> = {},
) {
  const reported: { again: (() => void) | undefined; asked: number } = { again: undefined, asked: 0 };
  const clientFor = (key: string): BackendClient => {
    options.keys?.push(key);
    return { ...fake.backend, interviewKey: key, ...(options.recheck && { recheck: options.recheck }) };
  };
  const drain: DrainDeps = {
    store: tab.store,
    clientFor,
    currentOwner: options.currentOwner ?? (() => 'ada'),
    now: () => now,
    reachable: () => {
      reported.asked += 1;
      return Promise.resolve(options.reachable?.() ?? true);
    },
    changed: tab.changed,
    onProgress: tab.progressed,
  };
  const worker = startWorker(
    {
      ...drain,
      locks: options.locks,
      pulse: createPulse(options.alive, () => now),
      later: (call) => {
        reported.again = call;
        return () => undefined;
      },
    },
    options.owner ?? 'ada',
  );
  workers.push(worker);
  return { worker, reported: reported as Reported };
}

async function getEntry(of: OutboxStore = store, owner = 'ada') {
  const [entry] = await of.list(owner);
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

function getFile(entry: Entry): FileContent {
  const content = entry.parts[0]?.content;
  if (content === undefined || !('bytes' in content)) throw new Error('no file');
  return content;
}

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 10 });
const arrived = () => until(async () => expect(statusOfEntry(await getEntry())).toBe('sent'));

it('Goes on showing what it has where the device cannot read it now (§4)', async () => {
  await outbox.keep(ADA, [TEXT]);
  const list = vi.fn(store.list);
  const tab = createOutbox({ ...store, list });
  tab.getEntries('ada');
  await until(() => expect(tab.getEntries('ada')).toHaveLength(1));
  list.mockRejectedValueOnce(new DOMException('', 'UnknownError'));
  const read = Promise.withResolvers<void>();
  tab.subscribe(read.resolve);
  tab.changed();
  await read.promise;
  expect(list).toHaveBeenCalledTimes(2);
  expect(tab.getEntries('ada')).toHaveLength(1);
});

describe('§4 the outbox sends by itself', () => {
  it('the times of a recording arrive with it, also after a reload', async () => {
    const spoken = [{ start: 1.5, text: 'Hallo Welt' }];
    await outbox.keep(ADA, [{ ...AUDIO, spoken }]);
    makeWorker(openTab()[1]).worker.kick();
    await arrived();
    expect(fake.media).toEqual([expect.objectContaining({ file_type: 'audio/webm', spoken })]);
  });

  it('makes the row once and exchanges the local id; every part arrives, the contact last', async () => {
    await outbox.keep(ADA, [CONTACT, AUDIO, TEXT, ANSWERS]);
    makeWorker(outbox).worker.kick();
    await arrived();
    expect((await getEntry()).row).toEqual({ status: 'known', id: 4711 });
    await until(() => expect(fake.origins).toMatchObject([{ interview_id: 4711, area: ADA.area }]));
    expect(fake.interviews.size).toBe(1);
    expect(fake.interviews.get(4711)).toMatchObject({
      transcript: 'Hallo Welt',
      w_questions_answers: { who: 'w' },
      contact_email: 'ada@beispiel.test',
    });
    expect(fake.media.map((file) => file['file_type'])).toEqual(['audio/webm', 'text/plain']);
    expect([...fake.objects.keys()].toSorted()).toEqual(fake.media.map((file) => String(file['file_path'])).toSorted());
    expect([...fake.objects.values()]).toContain('ton');
    const last = fake.called('PATCH interviews').at(-1);
    expect(last?.body).toMatchObject({ contact_first_name: 'Ada' });
  });

  it('D9 the key is there before the first insert and stays the same after a reload', async () => {
    const keys: string[] = [];
    await outbox.keep(ADA, [TEXT]);
    const { key } = await getEntry();
    expect(key).toMatch(/^[\w-]{43}$/);
    makeWorker(openTab()[1], { keys }).worker.kick();
    await arrived();
    expect(new Set(keys)).toEqual(new Set([key]));
  });

  it('D9 a tab that died after its insert: the next one is told of the row and makes no second', async () => {
    await outbox.keep(ADA, [TEXT]);
    const { key } = await getEntry();
    fake.interviews.set(99, { id: 99 });
    fake.fail('POST interviews', refusal(409, '23505'));
    fake.fail('GET interviews', { status: 200, body: [{ id: 99 }] });
    makeWorker(openTab()[1]).worker.kick();
    await arrived();
    expect(fake.called('POST interviews').map(({ headers }) => headers.get('x-submission-token'))).toEqual([key]);
    expect((await getEntry()).row).toEqual({ status: 'known', id: 99 });
  });

  it('two tabs at once: one row, one object', async () => {
    await outbox.keep(ADA, [AUDIO, TEXT]);
    const locks = fakeLocks();
    makeWorker(outbox, { locks }).worker.kick();
    makeWorker(openTab()[1], { locks }).worker.kick();
    await arrived();
    expect([fake.called('POST interviews').length, fake.called('POST object').length]).toEqual([1, 2]);
  });

  it('takes the lock from a tab that has said nothing for three minutes, and from no other', async () => {
    const [here, there] = linkTabs();
    await outbox.keep(ADA, [TEXT]);
    const steals: boolean[] = [];
    // A suspended tab has it: who asks waits, and may give up or steal.
    const request = (_name: string, { signal, steal = false }: LockOptions, work: () => Promise<unknown>) => {
      steals.push(steal);
      if (steal) return work();
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
      );
    };
    const { worker, reported } = makeWorker(outbox, { locks: { request } as unknown as Locks, alive: here });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    now += 179_000;
    createPulse(there).beat();
    now += 179_000;
    reported.again?.();
    expect(steals).toEqual([false]);
    now += 1_000;
    reported.again?.();
    await arrived();
    expect(steals).toEqual([false, true]);
  });

  it('what a tab kept that was closed at once goes from another one that is open', async () => {
    const [here, there] = linkTabs();
    const list = vi.spyOn(store, 'list');
    const open = createOutbox(store, here);
    const { worker } = makeWorker(open);
    open.onWork(worker.kick);
    worker.kick();
    await until(() => expect(list).toHaveResolved());
    await openTab(there)[1].keep(ADA, [TEXT]);
    await arrived();
  });

  it('without an answer it waits, and comes again; the file keeps its name', async () => {
    fake.fail('POST object', NETWORK, 3);
    await outbox.keep(ADA, [AUDIO]);
    const { worker, reported } = makeWorker(outbox);
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect((await getEntry()).parts[0]?.state).toEqual({ status: 'waiting' });
    reported.again?.();
    await arrived();
    expect([fake.interviews.size, fake.objects.size, fake.media.length]).toEqual([1, 1, 1]);
  });

  it('a text corrected after its file arrived and before its row did: the file has the correction', async () => {
    fake.fail('POST media_uploads', NETWORK, 3);
    await outbox.keep(ADA, [TEXT]);
    const { worker, reported } = makeWorker(outbox);
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    await outbox.keep(ADA, [{ kind: 'transcript', text: 'Besser' }]);
    worker.kick();
    await arrived();
    expect([...fake.objects.values()]).toEqual(['Besser']);
  });

  it('a part that is refused stands there with its reason until the user tries again', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'));
    await outbox.keep(ADA, [AUDIO, CONTACT]);
    const { worker, reported } = makeWorker(outbox);
    outbox.onWork(worker.kick);
    worker.kick();
    const states = async () => (await getEntry()).parts.map((part) => part.state);
    await until(async () =>
      expect(await states()).toEqual([{ status: 'failed', reason: 'too-large' }, { status: 'sent' }]),
    );
    worker.kick();
    await until(() => expect(reported.asked).toBe(2));
    expect(reported.again, 'nothing is asked while the user decides').toBeUndefined();
    await outbox.retry((await getEntry()).id);
    await arrived();
  });

  it('a row that is refused (OPEN_CONTRIBUTIONS=false) says so and is not tried again by itself', async () => {
    fake.fail('POST interviews', refusal(401, '42501'));
    await outbox.keep(ADA, [TEXT]);
    const { worker, reported } = makeWorker(outbox);
    worker.kick();
    await until(async () => expect((await getEntry()).row).toEqual({ status: 'failed', reason: 'refused' }));
    worker.kick();
    await until(() => expect(reported.asked).toBe(2));
    expect(reported.again, 'nothing is asked while the user decides').toBeUndefined();
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it.each([
    ['sent', { contentId: 'local_1_a', days: 1 }],
    ['failed', { contentId: 'local_1_a', days: 7 }],
    ['failed', { contentId: '815', days: 1 }],
  ] as const)(
    "D9 a guest's details whose answer got lost, refused later: %s for %o",
    async (status, { contentId, days }) => {
      fake.interviews.set(815, { id: 815 });
      fake.fail('PATCH interviews', NETWORK, 2);
      await outbox.keep({ ...ADA, owner: DEVICE_OWNER, contentId }, [CONTACT]);
      const { worker, reported } = makeWorker(outbox, { owner: DEVICE_OWNER, currentOwner: () => DEVICE_OWNER });
      worker.kick();
      await until(() => expect(reported.again).toBeDefined());
      now += days * DAY_MS;
      fake.fail('PATCH interviews', refusal(401, '42501'), 9);
      fake.fail('POST interviews', refusal(401, '42501'), 9);
      reported.again?.();
      await until(async () => expect((await getEntry(store, DEVICE_OWNER)).parts[0]?.state.status).toBe(status));
    },
  );

  it('a row that a login which has ended could not begin waits for the next one (0140)', async () => {
    fake.fail('POST interviews', refusal(401, 'PT401'));
    await outbox.keep(ADA, [TEXT]);
    const { worker, reported } = makeWorker(outbox);
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect(statusOfEntry(await getEntry())).toBe('waiting');
    reported.again?.();
    await arrived();
  });

  it('a part that was refused because the login has ended waits for the next one (0140)', async () => {
    fake.fail('PATCH interviews', refusal(403, '42501'), 2);
    fake.interviews.set(815, { id: 815 });
    await outbox.keep({ ...ADA, contentId: '815' }, [ANSWERS]);
    const login = { owner: 'ada' };
    const { worker, reported } = makeWorker(outbox, {
      currentOwner: () => login.owner,
      recheck: async () => void (login.owner = 'device'),
    });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect(statusOfEntry(await getEntry())).toBe('waiting');
  });

  it('does not say that it sends what a closed tab has left, where the backend does not answer now', async () => {
    await outbox.keep(ADA, [AUDIO]);
    await store.apply((await getEntry()).id, { type: 'started', part: 'recording', revision: 1 });
    const { worker, reported } = makeWorker(openTab()[1], { reachable: () => false });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect(statusOfEntry(await getEntry())).toBe('waiting');
  });

  it('a backend that does not answer is not even tried', async () => {
    await outbox.keep(ADA, [TEXT]);
    const { worker, reported } = makeWorker(outbox, { reachable: () => false });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect(fake.calls).toEqual([]);
  });

  it('what never gets an answer keeps nothing else back where the backend answers', async () => {
    fake.fail('POST object', NETWORK, 3);
    await outbox.keep(ADA, [AUDIO, ANSWERS]);
    now += 1;
    await outbox.keep({ ...ADA, contentId: 'local_2_b' }, [AUDIO]);
    const { worker, reported } = makeWorker(outbox);
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    const states = (await store.list('ada')).map(({ parts }) => parts.map((part) => part.state.status));
    expect(states).toEqual([['waiting', 'sent'], ['sent']]);
  });

  it('the rest is not tried where the backend has gone meanwhile', async () => {
    fake.fail('POST object', NETWORK, 3);
    await outbox.keep(ADA, [AUDIO, ANSWERS]);
    now += 1;
    await outbox.keep({ ...ADA, contentId: 'local_2_b' }, [AUDIO]);
    const answers = [true, false];
    const { worker, reported } = makeWorker(outbox, { reachable: () => answers.shift() ?? true });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect([fake.called('POST interviews').length, fake.called('PATCH interviews')]).toEqual([1, []]);
  });

  it('never sends another user’s entries, not even when the login changes in the middle', async () => {
    await outbox.keep(ADA, [TEXT]);
    const { worker, reported } = makeWorker(outbox, { currentOwner: () => 'bob' });
    worker.kick();
    await until(() => expect(reported.again).toBeDefined());
    expect(fake.calls).toEqual([]);
    expect(await store.list('bob')).toEqual([]);
  });
});

describe('what lies on the device', () => {
  it('a contribution has one entry; a later part joins it, a corrected one takes the place of the first', async () => {
    await outbox.keep(ADA, [AUDIO, TEXT]);
    await outbox.keep(ADA, [{ kind: 'transcript', text: 'Besser' }]);
    now += 1;
    await outbox.keep({ ...ADA, contentId: 'local_2_b' }, [TEXT]);
    const entries = await store.list('ada');
    expect(entries.map((entry) => entry.parts.length)).toEqual([2, 1]);
    expect(entries[0]?.parts[1]).toMatchObject({ content: { text: 'Besser' } });
  });

  it('a contribution that is in the database already is not made again', async () => {
    await outbox.keep({ ...ADA, contentId: '815' }, [CONTACT]);
    expect((await getEntry()).row).toEqual({ status: 'known', id: 815 });
  });

  it('a file tried before keeps its name in the bucket', async () => {
    const path = '815/1_abc.png';
    await outbox.keep({ ...ADA, contentId: '815' }, [
      { kind: 'file', blob: new Blob(['x'], { type: 'image/png' }), name: 'x.png', path },
    ]);
    expect((await getEntry()).parts[0]?.content).toMatchObject({
      fileName: '1_abc.png',
      name: 'x.png',
      type: 'image/png',
    });
  });

  it('where a later file finds no room, the earlier ones are not kept twice by the next attempt', async () => {
    const files = ['a.png', 'b.png'].map((name): PartDraft => ({ kind: 'file', blob: new Blob([name]), name }));
    const { putFile } = store;
    const full = vi.spyOn(store, 'putFile').mockImplementationOnce(putFile);
    full.mockRejectedValueOnce(new DOMException('full', 'QuotaExceededError'));
    await expect(outbox.keep(ADA, [TEXT, ...files])).rejects.toThrow('full');
    expect((await getEntry()).parts.map(({ id }) => id)).toEqual(['transcript']);
    await outbox.keep(ADA, [TEXT, ...files]);
    const names = (await getEntry()).parts.map(({ content }) => ('bytes' in content ? content.name : content.kind));
    expect(names).toEqual(['transcript', 'a.png', 'b.png']);
  });

  it('a file larger than one slice comes back whole', async () => {
    await outbox.keep(ADA, [{ kind: 'file', blob: new Blob(['0123456789']), name: 'film.mp4' }]);
    const entry = await getEntry();
    const back = await openTab()[0].blob(entry.id, getFile(entry));
    expect(new TextDecoder().decode(await back.arrayBuffer())).toBe('0123456789');
  });

  it('a new recording takes the place of a longer one, even while that one is being sent', async () => {
    await outbox.keep(ADA, [{ kind: 'recording', blob: new Blob(['0123456789']), name: 'a.webm' }]);
    const { id } = await getEntry();
    await store.apply(id, { type: 'started', part: 'recording', revision: 1 });
    await outbox.keep(ADA, [AUDIO]);
    await store.apply(id, { type: 'sent', part: 'recording', revision: 1 });
    const entry = await getEntry();
    expect(entry.parts.map((part) => part.state.status)).toEqual(['waiting']);
    expect(new TextDecoder().decode(await (await store.blob(id, getFile(entry))).arrayBuffer())).toBe('ton');
  });

  it('a file whose bytes the browser has taken away is not sent empty', async () => {
    await outbox.keep(ADA, [AUDIO]);
    const { id } = await getEntry();
    const content = { kind: 'recording', name: 'a.webm', fileName: '1_a.webm', type: 'audio/webm', bytes: 5 } as const;
    await store.apply(id, { type: 'put', part: 'recording', content });
    const { worker } = makeWorker(outbox);
    worker.kick();
    await until(async () =>
      expect((await getEntry()).parts[0]?.state).toEqual({ status: 'failed', reason: 'missing' }),
    );
    expect(fake.called('POST object')).toEqual([]);
  });

  it('a file cut off by a crash while it was written is taken away after a day', async () => {
    await outbox.keep(ADA, [TEXT]);
    const { id } = await getEntry();
    const content = { kind: 'file', name: 'a', fileName: '1_a.png', type: 'image/png', bytes: 3 } as const;
    await store.putFile('gone', 'x', content, new Blob(['abc']));
    expect((await openTab()[0].blob('gone', content)).size).toBe(3);
    now += 2 * DAY_MS;
    expect((await openTab()[0].blob('gone', content)).size).toBe(0);
    expect((await store.list('ada'))[0]?.id).toBe(id);
  });

  it('removed is removed, with its files', async () => {
    await outbox.keep(ADA, [AUDIO]);
    const entry = await getEntry();
    await outbox.remove(entry.id);
    expect(await store.list('ada')).toEqual([]);
    expect((await store.blob(entry.id, getFile(entry))).size).toBe(0);
    expect(await store.apply(entry.id, { type: 'retry' })).toBeUndefined();
  });

  it('what has arrived gives its room back at once and leaves the list after a week; the rest stays', async () => {
    await outbox.keep(ADA, [AUDIO]);
    now += 1;
    await outbox.keep({ ...ADA, contentId: 'local_2_b' }, [TEXT]);
    const entry = await getEntry();
    await store.apply(entry.id, { type: 'sent', part: 'recording', revision: 1 });
    expect((await store.blob(entry.id, getFile(entry))).size).toBe(0);
    now += 8 * DAY_MS;
    expect((await store.list('ada')).map((entry) => entry.contentId)).toEqual(['local_2_b']);
  });
});
