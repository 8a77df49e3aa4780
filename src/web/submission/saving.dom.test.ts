import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectContribution } from '#web/backend/connect.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { downloadMedia, ensureBucket, listMedia } from '#web/backend/media.ts';
import { probeBackend } from '#web/backend/status.ts';
import { uploadObject } from '#web/backend/upload.ts';
import { saveEditedTranscript, saveSpokenTranscript, submitContact } from './saving.ts';
import {
  type FakeBackend,
  NETWORK,
  page,
  refusal,
  startFakeBackend,
  storageRefusal,
} from '#tests/support/web/fake-backend.ts';
import { uploadFiles } from './uploads.ts';

const now = new Date(1_700_000);
const noWait = async () => {};
const image = (content = 'bild') => new Blob([content], { type: 'image/png' });
let fake: FakeBackend;

beforeEach(() => {
  fake = startFakeBackend();
  fake.interviews.set(7, { id: 7 });
});
afterEach(() => {
  fake.close();
  vi.restoreAllMocks();
});

describe('§7 upload to the bucket', () => {
  it('sends what supabase-js sends: session or public key, upsert, cache control 3600, interview key', async () => {
    await uploadObject(connectContribution(fake.backend, 'the-key'), { blob: image(), path: '7/1_a.png' });
    const [call] = fake.called('POST object');
    expect(call?.headers.get('authorization')).toBe('Bearer public-key');
    expect(call?.headers.get('apikey')).toBe('public-key');
    expect(call?.headers.get('x-upsert')).toBe('true');
    expect(call?.headers.get('x-interview-key')).toBe('the-key');
    expect(String(call?.body)).toMatch(/name="cacheControl"\r\n\r\n3600[\s\S]*name=""; filename="blob"/);
  });

  it.each([
    ['EntityTooLarge', storageRefusal('413', 'EntityTooLarge'), 'too-large'],
    ['AccessDenied', storageRefusal('403', 'AccessDenied'), 'refused'],
    ['a full disk', { status: 507, body: {} }, 'full'],
    ['no JSON at all', { status: 502, body: 'Bad Gateway' }, 'failed'],
    ['no answer', NETWORK, 'unreachable'],
    ['the page of a portal', page(200), 'unreachable'],
    ['the page of a proxy', page(403), 'unreachable'],
    ['a proxy that takes no file of that size', page(413), 'too-large'],
  ] as const)('tells %s apart', async (_name, failure, kind) => {
    fake.fail('POST object', failure);
    await expect(uploadObject(fake.backend, { blob: image(), path: '7/a.png' })).rejects.toMatchObject({ kind });
  });

  it.each([403, 404])('the page of a proxy (%i) in place of an answer refuses no details (D9)', async (status) => {
    for (const call of ['PATCH interviews', 'POST interviews']) fake.fail(call, page(status), 2);
    const contact = { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test' };
    await expect(submitContact(fake.backend, '7', contact, now)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it('can be aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(uploadObject(fake.backend, { blob: image(), path: '7/a.png', signal })).rejects.toMatchObject({
      kind: 'aborted',
    });
  });
});

describe('§9 upload and metadata, 3 attempts', () => {
  it('survives two lost answers each and registers the file once', async () => {
    fake.fail('POST object', NETWORK, 2);
    fake.fail('POST media_uploads', refusal(500, 'XX000'), 2);
    const result = await uploadFiles(fake.backend, [{ blob: image(), path: '7/1_a.png' }], {
      interviewId: 7,
      wait: noWait,
    });
    expect(result).toEqual({ stored: [{ path: '7/1_a.png', type: 'image/png' }], failed: [] });
    expect(fake.media).toEqual([{ interview_id: 7, file_path: '7/1_a.png', file_type: 'image/png' }]);
  });

  it('registers what the contributor calls the file, and without it where the database knows no names', async () => {
    const blob = new File(['x'], 'Bilder/IMG_1.png', { type: 'image/png' });
    const result = await uploadFiles(fake.backend, [{ blob, path: '7/1_a.png' }], { interviewId: 7, wait: noWait });
    expect(result.failed).toEqual([]);
    expect(fake.media).toMatchObject([{ file_path: '7/1_a.png', original_name: 'IMG_1.png' }]);
    fake.fail('POST media_uploads', refusal(400, 'PGRST204'), 1);
    await uploadFiles(fake.backend, [{ blob, path: '7/2_a.png' }], { interviewId: 7, wait: noWait });
    expect(fake.media.at(-1)).toEqual({ interview_id: 7, file_path: '7/2_a.png', file_type: 'image/png' });
  });

  it('counts an existing registration as done', async () => {
    fake.media.push({ interview_id: 7, file_path: '7/1_a.png', file_type: 'image/png' });
    const files = [{ blob: image(), path: '7/1_a.png' }];
    const result = await uploadFiles(fake.backend, files, { interviewId: 7, wait: noWait });
    expect(result.failed).toEqual([]);
    expect(fake.media).toHaveLength(1);
  });

  it('reports which of several files failed, and goes on with the others', async () => {
    fake.fail('POST object', NETWORK, 3);
    const files = [1, 2].map((number) => ({ blob: image(), path: `7/${number}.png` }));
    const result = await uploadFiles(fake.backend, files, { interviewId: 7, wait: noWait });
    expect(result.stored.map((file) => file.path)).toEqual(['7/2.png']);
    expect(result.failed.map(({ file, error }) => [file.path, error.kind])).toEqual([['7/1.png', 'unreachable']]);
  });

  it.each(['42P01', 'PGRST204', '23503'])('Only logs metadata error %s (§8)', async (code) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    fake.fail('POST media_uploads', refusal(400, code), 3);
    const files = [{ blob: image(), path: '7/1.png' }];
    const result = await uploadFiles(fake.backend, files, { interviewId: 7, wait: noWait });
    expect(result.stored).toHaveLength(1);
    expect(log).toHaveBeenCalledWith(expect.any(String), code);
  });

  it('Reports bytes over all files and ends at 1 (D18)', async () => {
    const seen: number[] = [];
    const files = [image('xx'), image('yyyyyy')].map((blob, index) => ({ blob, path: `7/${index}.png` }));
    await uploadFiles(fake.backend, files, { interviewId: 7, wait: noWait, onProgress: (part) => seen.push(part) });
    expect(seen).toContain(0.25);
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});

describe('§4 transcripts', () => {
  it('a spoken one gets completed_at and transcript', async () => {
    expect(await saveSpokenTranscript(fake.backend, '7', 'Hallo', now)).toBe('saved');
    expect(fake.called('PATCH interviews')[0]?.body).toEqual({ completed_at: now.toISOString(), transcript: 'Hallo' });
  });

  it.each([
    ['7', '  ', 'skipped'],
    ['local_voice_1_a', 'Hallo', 'kept'],
  ])('Id %s with %j writes nothing: %s (§5)', async (id, text, outcome) => {
    expect(await saveSpokenTranscript(fake.backend, id, text, now)).toBe(outcome);
    expect(fake.calls).toEqual([]);
  });

  it('a row of somebody else is an error, though the backend says nothing', async () => {
    await expect(saveSpokenTranscript(fake.backend, '8', 'Hallo', now)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('an edited one becomes a text file, registered, and the column', async () => {
    const edit = { interviewId: '7', transcript: 'Neu', now, wait: noWait };
    expect(await saveEditedTranscript(fake.backend, edit)).toEqual({ kind: 'saved' });
    expect(fake.media).toEqual([{ interview_id: 7, file_path: '7/transcript_1700000.txt', file_type: 'text/plain' }]);
    expect(fake.objects.get('7/transcript_1700000.txt')).toContain('Neu');
    expect(fake.called('PATCH interviews')[0]?.body).toEqual({ transcript: 'Neu' });
  });

  it.each(['POST object', 'POST media_uploads', 'PATCH interviews'])('is partly saved when %s fails', async (call) => {
    fake.fail(call, refusal(500, 'XX000'), 3);
    const edit = { interviewId: '7', transcript: 'Neu', now, wait: noWait };
    const errors = [expect.objectContaining({ kind: 'failed' })];
    expect(await saveEditedTranscript(fake.backend, edit)).toEqual({ kind: 'partial', errors });
  });

  it('an edited one of a local id stays in the browser', async () => {
    const edit = { interviewId: 'local_1_a', transcript: 'x', now };
    expect(await saveEditedTranscript(fake.backend, edit)).toEqual({ kind: 'kept' });
    expect(fake.calls).toEqual([]);
  });
});

describe('§7 contact details', () => {
  const contact = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@beispiel.test' };
  const fields = {
    contact_first_name: 'Ada',
    contact_last_name: 'Lovelace',
    contact_email: 'ada@beispiel.test',
    completed_at: now.toISOString(),
  };

  it('update the row', async () => {
    expect(await submitContact(fake.backend, '7', contact, now)).toBe('saved');
    expect(fake.called('PATCH interviews')[0]?.body).toEqual(fields);
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it('Inserts with the id where the update touches no row (D10)', async () => {
    await submitContact(fake.backend, '8', contact, now);
    expect(fake.called('POST interviews')[0]?.body).toEqual({ id: 8, ...fields });
  });

  it('insert with the id where the update fails, and throw where that fails too', async () => {
    fake.fail('PATCH interviews', refusal(500, 'XX000'));
    fake.fail('POST interviews', refusal(403, '42501'));
    await expect(submitContact(fake.backend, '7', contact, now)).rejects.toMatchObject({ kind: 'refused' });
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('Only waits 0.5 s for a local id (§9)', async () => {
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms);
    expect(await submitContact(fake.backend, 'local_1_a', contact, now, wait)).toBe('local');
    expect(waits).toEqual([500]);
    expect(fake.calls).toEqual([]);
  });
});

describe('§7 reading', () => {
  it('lists the files of one interview and downloads the transcript', async () => {
    await saveEditedTranscript(fake.backend, { interviewId: '7', transcript: 'Neu', now });
    const [file] = await listMedia(fake.backend, 7);
    expect(file).toEqual({ path: '7/transcript_1700000.txt', type: 'text/plain' });
    expect(await (await downloadMedia(fake.backend, file?.path ?? '')).text()).toContain('Neu');
  });

  it('reads the transcript column, or nothing', async () => {
    fake.interviews.set(9, { id: 9, transcript: 'Hallo' });
    expect(await readTranscript(fake.backend, 9)).toBe('Hallo');
    expect(await readTranscript(fake.backend, 10)).toBeUndefined();
  });

  it.each([
    [[], { interviews: true, media: true, bucket: true }],
    [['GET interviews'], { interviews: false, media: true, bucket: true }],
    [['GET media_uploads', 'GET bucket'], { interviews: true, media: false, bucket: false }],
  ])('probes both tables and the bucket, failing %j', async (failing, expected) => {
    for (const call of failing) fake.fail(call, refusal(400, 'XX000'), 9);
    expect(await probeBackend(fake.backend)).toEqual(expected);
  });
});

describe('§4 the bucket', () => {
  it('is looked for when an upload misses it, and the upload goes on', async () => {
    fake.fail('POST object', storageRefusal('404', 'NoSuchBucket'));
    fake.fail('GET bucket', storageRefusal('404', 'NoSuchBucket'));
    const files = [{ blob: image(), path: '7/1.png' }];
    const result = await uploadFiles(fake.backend, files, { interviewId: 7, wait: noWait });
    expect(result.stored).toHaveLength(1);
    expect(fake.called('POST bucket')).toHaveLength(1);
  });

  it('is created where it is missing, private (D11)', async () => {
    fake.fail('GET bucket', storageRefusal('404', 'NoSuchBucket'));
    await ensureBucket(fake.backend);
    expect(fake.called('POST bucket')[0]?.body).toMatchObject({ id: 'Media', public: false });
  });

  it('is an error where that is refused', async () => {
    fake.fail('GET bucket', storageRefusal('404', 'NoSuchBucket'));
    fake.fail('POST bucket', storageRefusal('403', 'AccessDenied'));
    await expect(ensureBucket(fake.backend)).rejects.toMatchObject({ kind: 'refused' });
  });
});
