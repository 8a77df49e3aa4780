import { describe, expect, it, vi } from 'vitest';
import type { BackendClient } from '#web/backend/client.ts';
import * as interviews from '#web/backend/interviews.ts';
import { answerImageRights, ensureBucket, registerMedia } from '#web/backend/media.ts';
import { loadTus, RESUMABLE_FROM_BYTES, uploadObject, uploadResumable } from '#web/backend/upload.ts';
import { freezeTime, pass, waitForState } from '#tests/support/web/render-flow.tsx';
import { NETWORK, SILENCE } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';

const now = new Date(1_700_000);
const CONTACT = { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test' };
const ANSWERS = { who: 'wir', what: 'was', when: 'nun', where: 'hier', why: 'darum' };
const IMAGE = { path: '7/a.png', type: 'image/png' };

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));

type Call = (backend: BackendClient) => Promise<unknown>;

const WRITES: readonly (readonly [string, Call])[] = [
  ['a spoken text', (backend) => interviews.saveTranscriptAndTime(backend, 7, 'Hallo', now)],
  ['an edited text', (backend) => interviews.updateTranscript(backend, 7, 'Hallo')],
  ['answers', (backend) => interviews.updateWAnswers(backend, 7, ANSWERS)],
  ['contact details', (backend) => interviews.saveContact(backend, 7, CONTACT, now)],
  ['a consent', (backend) => interviews.saveContact(backend, 7, { ...CONTACT, consent: 'v1' }, now)],
  ['the row of a file', (backend) => registerMedia(backend, 7, IMAGE)],
  ['image rights', (backend) => answerImageRights(backend, IMAGE.path, 'nobody')],
];

describe('§8 a line that swallows everything', () => {
  it.each(WRITES)('ends a write after 15 s as no connection: %s', async (_name, write) => {
    const over = AbortSignal.abort(new DOMException('over', 'TimeoutError'));
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over);
    await expect(write(fake.backend)).rejects.toMatchObject({ kind: 'unreachable' });
    for (const call of limit.mock.calls) expect(call).toEqual([15_000]);
    expect(limit).toHaveBeenCalled();
  });

  it('Sends an update of a row only when the one before it has ended, or the older text might stay', async () => {
    const first = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(first.signal);
    fake.fail('PATCH interviews', SILENCE, 1);
    const ended = expect(interviews.saveTranscriptAndTime(fake.backend, 7, 'Alt', now)).rejects.toThrow();
    const second = interviews.updateTranscript(fake.backend, 7, 'Neu');
    await vi.waitFor(() => expect(fake.called('PATCH interviews')).toHaveLength(1));
    // A request of another row passes it.
    await expect(interviews.updateTranscript(fake.backend, 8, 'Fremd')).rejects.toThrow();
    expect(fake.called('PATCH interviews')).toHaveLength(2);
    first.abort(new DOMException('over', 'TimeoutError'));
    await ended;
    await second;
    expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Neu' });
  });

  it('Sends contact details once more where the update got no answer, and inserts no row (D10)', async () => {
    fake.fail('PATCH interviews', NETWORK, 1);
    await interviews.saveContact(fake.backend, 7, CONTACT, now);
    expect(fake.called('PATCH interviews')).toHaveLength(2);
    fake.fail('PATCH interviews', NETWORK, 2);
    const saving = interviews.saveContact(fake.backend, 7, CONTACT, now);
    await expect(saving).rejects.toMatchObject({ kind: 'unreachable' });
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it.each(['GET bucket', 'POST bucket'])('ends the look for the bucket after 15 s: %s', async (silent) => {
    freezeTime();
    fake.fail('GET bucket', { status: 400, body: { statusCode: '404', code: 'NoSuchBucket', message: '' } });
    fake.fail(silent, SILENCE);
    const ended = expect(ensureBucket(fake.backend)).rejects.toMatchObject({ kind: 'unreachable' });
    await waitForState(() => expect(fake.called(silent)).toHaveLength(1));
    await pass(15_000);
    await ended;
  });

  it('ends the wait for a new token after 8 s', async () => {
    freezeTime();
    vi.spyOn(fake.backend.supabase.auth, 'getSession').mockReturnValue(new Promise(() => {}));
    const ended = expect(interviews.updateTranscript(fake.backend, 7, 'x')).rejects.toMatchObject({
      kind: 'unreachable',
    });
    await pass(8_000);
    await ended;
    expect(fake.calls).toEqual([]);
  });

  it('ends an upload that has not moved for 60 s as no connection', async () => {
    freezeTime();
    fake.fail('POST object', SILENCE);
    const upload = { blob: new Blob(['bild']), path: IMAGE.path };
    const ended = expect(uploadObject(fake.backend, upload)).rejects.toMatchObject({ kind: 'unreachable' });
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    await pass(60_000);
    await ended;
  });

  it('ends a resumable upload that has not moved for 60 s, and the next one continues it', async () => {
    await loadTus();
    freezeTime();
    fake.fail('PATCH resumable', SILENCE, 1, 1);
    const film = new File(['a'.repeat(RESUMABLE_FROM_BYTES + 1)], 'film.mp4', { lastModified: 5 });
    const upload = { blob: film, path: '7/film.mp4' };
    const ended = expect(uploadResumable(fake.backend, upload)).rejects.toMatchObject({ kind: 'unreachable' });
    await waitForState(() => expect(fake.called('PATCH resumable')).toHaveLength(2));
    await pass(60_000);
    await ended;
    await expect(uploadResumable(fake.backend, upload)).resolves.toBe('7/film.mp4');
    expect(fake.called('POST resumable')).toHaveLength(1);
    expect(fake.objects.get('7/film.mp4')?.length).toBe(film.size);
  });
});
