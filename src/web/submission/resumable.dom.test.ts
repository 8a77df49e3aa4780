import { describe, expect, it, vi } from 'vitest';
import { clearUserData } from '#web/backend/browser-storage.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { freezeTime, pass, waitForRetry, waitForState } from '#tests/support/web/render-flow.tsx';
import { NETWORK, page } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { uploadFile, uploadFiles } from './uploads.ts';

const PART = 6 * 1024 * 1024;
const text = 'a'.repeat(PART) + 'b'.repeat(100);
const film = (content = text) => new File([content], 'film.mp4', { type: 'video/mp4', lastModified: 5 });
const remembered = () => Object.keys(localStorage).filter((key) => key.startsWith('tus::'));

const fake = fakeBackendForEach();

const send = (path = '7/1_a.mp4', file = film(), backend = fake.backend) =>
  uploadFile(backend, { blob: file, path }, { interviewId: 7 });

describe('supabase-contract §3.3 resumable uploads', () => {
  it('sends 6 MB and more in parts, with the metadata and headers of the contract', async () => {
    const backend = connectContribution(fake.backend, 'the-key');
    await expect(send(undefined, undefined, backend)).resolves.toEqual({ path: '7/1_a.mp4', type: 'video/mp4' });
    const [create] = fake.called('POST resumable');
    for (const [name, value] of [
      ['authorization', 'Bearer public-key'],
      ['apikey', 'public-key'],
      ['x-upsert', 'true'],
      ['x-interview-key', 'the-key'],
      ['tus-resumable', '1.0.0'],
      ['upload-length', String(text.length)],
    ] as const)
      expect(create?.headers.get(name)).toBe(value);
    const [upload] = fake.resumable.uploads.values();
    expect(Object.fromEntries(upload?.metadata ?? [])).toEqual({
      bucketName: 'Media',
      objectName: '7/1_a.mp4',
      contentType: 'video/mp4',
      cacheControl: '3600',
    });
    expect(fake.called('PATCH resumable')).toHaveLength(2);
    expect(fake.objects.get('7/1_a.mp4') === text).toBe(true);
    expect(fake.media).toHaveLength(1);
    expect(fake.called('POST object')).toEqual([]);
    expect(remembered()).toEqual([]);
  });

  it('arrives where the browser has no room to remember how to continue it', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await send();
    vi.restoreAllMocks();
    expect(fake.called('POST resumable')).toHaveLength(1);
    expect(fake.media).toHaveLength(1);
  });

  it('forgets what the server has dropped, with the name of its file', async () => {
    const begun = (hours: number) => {
      const creationTime = new Date(Date.now() - hours * 3_600_000).toISOString();
      const key = `tus::["…","7","Befund.pdf"]::${hours}`;
      localStorage.setItem(key, JSON.stringify({ size: 1, metadata: {}, creationTime, uploadUrl: '/upload/1' }));
      return key;
    };
    const [recent] = [begun(23), begun(25)];
    await send();
    expect(remembered()).toEqual([recent]);
  });

  it('sends smaller files in one request', async () => {
    await send('7/1_a.mp4', film('klein'));
    expect(fake.called('POST resumable')).toEqual([]);
    expect(fake.called('POST object')).toHaveLength(1);
  });

  it('sends the file in one piece where the backend has no such endpoint', async () => {
    fake.resumable.offered = false;
    await send();
    expect(fake.called('POST object')).toHaveLength(1);
    expect(fake.media).toHaveLength(1);
  });

  it('continues after a lost connection where it stopped', async () => {
    freezeTime();
    fake.fail('PATCH resumable', NETWORK, 1, 1);
    const sending = send();
    await waitForState(() => expect(fake.called('PATCH resumable')).toHaveLength(2));
    await waitForRetry();
    await pass(1000);
    await sending;
    expect(fake.called('HEAD resumable')).toHaveLength(1);
    expect(fake.called('PATCH resumable').at(-1)?.headers.get('upload-offset')).toBe(String(PART));
    expect(fake.objects.get('7/1_a.mp4') === text).toBe(true);
  });

  it('continues after a reload when the same file is chosen again, under the name it began with', async () => {
    const stop = new AbortController();
    const stopAfterOnePart = (fraction: number) => fraction >= PART / text.length && stop.abort();
    const sending = uploadFile(
      fake.backend,
      { blob: film(), path: '7/1_a.mp4' },
      { interviewId: 7, signal: stop.signal, onProgress: stopAfterOnePart },
    );
    await expect(sending).rejects.toMatchObject({ kind: 'aborted' });
    expect(remembered()).toHaveLength(1);
    await expect(send('7/2_b.mp4')).resolves.toEqual({ path: '7/1_a.mp4', type: 'video/mp4' });
    expect(fake.called('POST resumable')).toHaveLength(1);
    expect(fake.called('PATCH resumable').at(-1)?.headers.get('upload-offset')).toBe(String(PART));
    expect(fake.media).toEqual([
      { interview_id: 7, file_path: '7/1_a.mp4', file_type: 'video/mp4', original_name: 'film.mp4' },
    ]);
  });

  it('does not continue the upload of another contribution', async () => {
    fake.fail('PATCH resumable', { status: 400, body: 'nein' });
    await expect(send('7/1_a.mp4')).rejects.toMatchObject({ kind: 'failed' });
    await uploadFile(fake.backend, { blob: film(), path: '8/2_b.mp4' }, { interviewId: 8 });
    expect(fake.objects.has('8/2_b.mp4')).toBe(true);
    expect(fake.called('HEAD resumable')).toEqual([]);
  });

  it('Starts again where the upload it remembers is gone', async () => {
    fake.fail('PATCH resumable', { status: 400, body: 'nein' });
    await expect(send()).rejects.toMatchObject({ kind: 'failed' });
    fake.resumable.uploads.clear();
    await send('7/2_b.mp4');
    expect(fake.objects.get('7/1_a.mp4') === text).toBe(true);
  });

  it.each([
    [403, 'new row violates row-level security policy', 'refused'],
    [413, 'Maximum size exceeded', 'too-large'],
  ] as const)('tells %i apart: %s', async (status, body, kind) => {
    fake.fail('POST resumable', { status, body });
    await expect(send()).rejects.toMatchObject({ kind });
    expect(fake.called('POST object')).toEqual([]);
  });

  it('continues where it stopped after the page of a proxy has answered in place of the storage', async () => {
    freezeTime();
    fake.fail('PATCH resumable', page(403), 1, 1);
    fake.fail('HEAD resumable', page(403));
    const sending = send();
    await waitForState(() => expect(fake.called('PATCH resumable')).toHaveLength(2));
    for (const seconds of [1, 1]) {
      await waitForRetry();
      await pass(seconds * 1_000);
    }
    await sending;
    expect(fake.called('POST resumable')).toHaveLength(1);
    expect(fake.objects.get('7/1_a.mp4') === text).toBe(true);
  });

  it('Logout forgets where uploads stopped (§4)', async () => {
    fake.fail('PATCH resumable', { status: 400, body: 'nein' });
    await expect(send()).rejects.toMatchObject({ kind: 'failed' });
    expect(remembered()).toHaveLength(1);
    clearUserData();
    expect(remembered()).toEqual([]);
  });
});

describe('§9 metadata', () => {
  it('a file whose row was not written is registered by the next try, without being sent again', async () => {
    fake.fail('POST media_uploads', { status: 403, body: { code: '42501', message: 'no' } });
    await expect(send()).rejects.toMatchObject({ kind: 'refused' });
    await send();
    expect(fake.called('POST resumable')).toHaveLength(1);
    expect(fake.media).toHaveLength(1);
  });

  it('Reports every file by its bytes (D18)', async () => {
    const seen: string[] = [];
    const files = ['7/a.png', '7/b.png'].map((path) => ({ path, blob: new File(['x'], path, { type: 'image/png' }) }));
    fake.fail('POST object', { status: 403, body: {} });
    await uploadFiles(fake.backend, files, {
      interviewId: 7,
      onFile: ({ path }, { type }) => seen.push(`${path} ${type}`),
    });
    expect(seen[0]).toBe('7/a.png progress');
    expect(seen).toContain('7/a.png failed');
    expect(seen.at(-1)).toBe('7/b.png stored');
  });

  it('Tells a bucket that is missing and cannot be made from other errors (§8)', async () => {
    const gone = { status: 400, body: { statusCode: '404', code: 'NoSuchBucket', message: 'Bucket not found' } };
    fake.fail('POST object', gone);
    fake.fail('GET bucket', gone);
    fake.fail('POST bucket', { status: 400, body: { statusCode: '403', code: 'AccessDenied', message: 'no' } });
    const small = new Blob(['x'], { type: 'image/png' });
    await expect(uploadFile(fake.backend, { blob: small, path: '7/a.png' }, { interviewId: 7 })).rejects.toMatchObject({
      kind: 'no-bucket',
    });
  });
});
