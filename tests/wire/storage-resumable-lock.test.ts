import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { bytes, openStage, sha256, type Stage, type User } from '#tests/support/storage.ts';

const SIZE = 100_000;
const TUS = { 'tus-resumable': '1.0.0' };

describe.each(['disk', 's3'] as const)('two servers on one database and one %s', (kind) => {
  let stage: Stage & { close: () => Promise<void> };
  let other: TestServer;
  let folder: string;
  let user: User;
  beforeAll(async () => {
    stage = await openStage(kind);
    folder = await mkdtemp(path.join(tmpdir(), 'smca-second-'));
    if (kind === 'disk') {
      await mkdir(path.join(stage.server.dataDir, 'files'), { recursive: true });
      await symlink(path.join(stage.server.dataDir, 'files'), path.join(folder, 'files'));
    }
    other = await bootServer({ ...stage.environment, DATABASE_URL: stage.server.databaseUrl, DATA_DIR: folder });
    user = await stage.user();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await other.stop();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('A PATCH that waits for its bytes gives way to another one and stores nothing (contract §3.3)', async () => {
    const name = `${user.id}/wettlauf.bin`;
    const url = await create(name);
    const waiting = begin(url);
    await vi.waitFor(async () => expect(await stage.sql('select from _backend.upload_locks')).toHaveLength(1));
    // So long an upload of a killed server is locked.
    const lease = `select expires_at < now() + interval '15 seconds' as short from _backend.upload_locks`;
    expect(await stage.sql(lease)).toEqual([{ short: true }]);
    const second = await fetch(url.replace(stage.server.url, other.url), {
      method: 'PATCH',
      headers: partHeaders(),
      body: bytes(SIZE, 2),
    });
    expect(second.status).toBe(204);
    waiting.end(bytes(SIZE, 1));
    expect(await waiting.accepted).toBe('0');
    expect(await download(name)).toBe(sha256(bytes(SIZE, 2)));
    expect(await stage.sql('select from _backend.upload_locks')).toEqual([]);
  });

  test('Of two PATCHes of one offset one is stored, the other refused (contract §3.3)', async () => {
    const name = `${user.id}/zugleich.bin`;
    const url = await create(name);
    const answers = await Promise.all(
      [stage.server, other].map(async (server, at) => {
        const { status } = await fetch(url.replace(stage.server.url, server.url), {
          method: 'PATCH',
          headers: partHeaders(),
          body: bytes(SIZE, at),
        });
        return status;
      }),
    );
    const winner = answers.indexOf(204);
    expect(answers[1 - winner]).toSatisfy((status: number) => status === 409 || status === 423);
    expect(await download(name)).toBe(sha256(bytes(SIZE, winner)));
  });

  test('A lock that a killed server left ends by itself (contract §3.3)', async () => {
    const name = `${user.id}/verwaist.bin`;
    const url = await create(name);
    const key = await lastUpload();
    await stage.sql(`insert into _backend.upload_locks values ($1, gen_random_uuid(), now() + interval '1 second')`, [
      key,
    ]);
    const answer = await fetch(url, { method: 'PATCH', headers: partHeaders(), body: bytes(SIZE, 3) });
    expect(answer.status).toBe(204);
    expect(await download(name)).toBe(sha256(bytes(SIZE, 3)));
  });

  test('A holder that does not let go ends in 423 for the other request (contract §3.3)', async () => {
    const url = await create(`${user.id}/gesperrt.bin`);
    const key = await lastUpload();
    await stage.sql(`insert into _backend.upload_locks values ($1, gen_random_uuid(), now() + interval '1 hour')`, [
      key,
    ]);
    vi.useFakeTimers({ toFake: ['performance'] });
    const answer = fetch(url, { method: 'PATCH', headers: partHeaders(), body: bytes(SIZE, 3) });
    // The holder is asked once, then both wait.
    await vi.waitFor(async () =>
      expect(await stage.sql('select wanted from _backend.upload_locks')).toEqual([{ wanted: true }]),
    );
    vi.advanceTimersByTime(15_001);
    expect((await answer).status).toBe(423);
    await stage.sql('delete from _backend.upload_locks');
  });

  /** The library's name of the upload that was created last. */
  async function lastUpload(): Promise<string> {
    const [row] = await stage.sql('select version from _backend.unclaimed_files order by removable_from desc limit 1');
    const version = String(row?.['version']);
    return kind === 'disk' ? version : `${version.slice(0, 2)}/${version}`;
  }

  function partHeaders(): Record<string, string> {
    return { ...user.headers, ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  }

  async function create(name: string): Promise<string> {
    const metadata = { bucketName: 'private', objectName: name, contentType: 'application/octet-stream' };
    const announced = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
    const answer = await fetch(`${stage.server.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: { ...user.headers, ...TUS, 'upload-length': String(SIZE), 'upload-metadata': announced.join() },
    });
    return answer.headers.get('location') ?? '';
  }

  /** A PATCH whose bytes come later. */
  function begin(url: string): ClientRequest & { accepted: Promise<unknown> } {
    const sending = request(url, { method: 'PATCH', headers: { ...partHeaders(), 'content-length': SIZE } });
    sending.flushHeaders();
    sending.on('error', () => undefined);
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const accepted = answered.then(([answer]) => answer.resume().headers['upload-offset']);
    accepted.catch(() => undefined);
    return Object.assign(sending, { accepted });
  }

  async function download(name: string): Promise<string> {
    const { data } = await user.client.storage.from('private').download(name);
    return sha256(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)));
  }
});
