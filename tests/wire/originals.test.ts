import { open } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { handIn, type Handed } from '#tests/support/desk-calls.ts';
import { listLocatedFiles, TRACES } from '#tests/support/located-media.ts';
import { startS3, type S3Server } from '#tests/support/s3.ts';
import { WAITING } from '#tests/support/held-rows.ts';

const SWEEP_MS = 10 * 60_000;
const located = listLocatedFiles();
/** A picture in name only: nothing says where its place would stand. */
const unknown = { type: 'image/tiff', extension: 'tif', bytes: Buffer.from('II*\0 anything at all') };
const findTraces = (bytes: Buffer): string[] => TRACES.filter((trace) => bytes.includes(trace)).map(String);

describe.each(['disk', 's3'] as const)('on %s', (kind) => {
  let server: TestServer;
  let s3: S3Server | undefined;
  let member: TestUser;
  let handed: Handed;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= server.stop());

  const start = async (overrides: Readonly<Record<string, string>> = {}): Promise<void> => {
    s3 = kind === 's3' ? await startS3() : undefined;
    stopped = undefined;
    server = await bootServer({ ...s3?.env, ...overrides });
    member = await createUser(server, { role: 'firma_a' });
    handed = await handIn(member, { files: [...located, unknown] });
  };
  const query = (text: string, values: unknown[] = []) =>
    asOwner(server.databaseUrl, async (client) => (await client.query(text, values)).rows as Record<string, unknown>[]);
  const load = async (name: string): Promise<Buffer> => {
    const { data, error } = await server.service().storage.from('Media').download(name);
    if (error !== null) throw error;
    return Buffer.from(await data.arrayBuffer());
  };
  const makeDue = () => query(`update _backend.originals set due = now()`);
  const sweep = () => vi.advanceTimersByTime(SWEEP_MS);
  const isDone = () => expect.poll(() => query('select * from _backend.originals')).toEqual([]);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await stop();
    await s3?.stop();
  });

  test('An original gives way to its copy without place and device, what cannot be cleaned stays (0266)', async () => {
    await start();
    await makeDue();
    sweep();
    await isDone();
    for (const [at, { name, bytes }] of located.entries()) {
      const { path: stored = '' } = handed.files[at] ?? {};
      const content = await load(stored);
      expect([name, findTraces(content)]).toEqual([name, []]);
      const [row] = await query('select metadata from storage.objects where name = $1', [stored]);
      expect(row).toMatchObject({ metadata: { size: content.length, contentLength: content.length } });
      expect(content.equals(bytes)).toBe(false);
    }
    expect((await load(handed.files.at(-1)?.path ?? '')).equals(unknown.bytes)).toBe(true);
    expect(await query('select * from _backend.unclaimed_files')).toEqual([]);
  });

  test('Before its time, and with KEEP_ORIGINALS=true ever, a file stays as it came (0266)', async () => {
    await start();
    expect(await query('select * from _backend.originals where due > now()')).toHaveLength(located.length + 1);
    sweep();
    await stop();
    await start({ KEEP_ORIGINALS: 'true' });
    expect(await query('select * from _backend.originals')).toEqual([]);
    expect((await load(handed.files[0]?.path ?? '')).equals(located[0]?.bytes ?? unknown.bytes)).toBe(true);
  });

  test('A file that is erased while its copy is written does not come back (0266)', async () => {
    await start();
    const { path: name = '' } = handed.files[0] ?? {};
    const [{ version } = {}] = await query('select version from storage.objects where name = $1', [name]);
    await query('update _backend.originals set due = now() where version = $1', [version]);
    await asOwner(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('select from storage.objects where name = $1 for update', [name]);
      sweep();
      await expect.poll(async () => (await query(WAITING)).length, { interval: 20 }).toBeGreaterThan(0);
      await client.query('delete from storage.objects where name = $1', [name]);
      await client.query('commit');
    });
    await expect.poll(() => query('select * from _backend.unclaimed_files')).toEqual([]);
    expect(await query('select from storage.objects where name = $1', [name])).toEqual([]);
    await expect(load(name)).rejects.toThrow();
  });

  test('A server stops while it begins a copy', async () => {
    await start();
    await makeDue();
    const stopping = await asOwner(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table _backend.originals in access exclusive mode');
      sweep();
      await expect.poll(() => query(WAITING)).not.toEqual([]);
      const ended = stop();
      await expect.poll(() => fetch(server.url).catch(() => 'refused')).toBe('refused');
      await client.query('commit');
      return { ended };
    });
    await stopping.ended;
  });

  test.runIf(kind === 'disk')(
    'A damaged original is not hidden behind a whole copy, and is tried again (0266)',
    async () => {
      await start();
      const { path: name = '', bytes = Buffer.alloc(0) } = handed.files[0] ?? {};
      const [{ version } = {}] = await query('select version from storage.objects where name = $1', [name]);
      const stored = String(version);
      const file = await open(path.join(server.dataDir, 'files', 'objects', stored.slice(0, 2), stored), 'r+');
      await file.write(Buffer.from([bytes.at(-3) === 0 ? 1 : 0]), 0, 1, bytes.length - 3);
      await file.close();
      const other = handed.files[1]?.path;
      await query(`update _backend.originals set due = now() - interval '1 minute' where version = $1`, [version]);
      await query(
        `update _backend.originals set due = now()
        where version = (select version from storage.objects where name = $1)`,
        [other],
      );
      sweep();
      // One after the other: once the second is replaced, the first was tried.
      await expect
        .poll(() =>
          query('select from _backend.originals join storage.objects using (version) where name = $1', [other]),
        )
        .toEqual([]);
      await expect.poll(() => query('select * from _backend.unclaimed_files')).toEqual([]);
      expect(await query('select from storage.objects where version = $1', [version])).toHaveLength(1);
      // After an hour first, then ever less often, at last once a day.
      const againAfter = async (hours: number): Promise<unknown> => {
        await query(`update storage.objects set created_at = now() - $2 * interval '1 hour' where version = $1`, [
          version,
          hours,
        ]);
        await query('update _backend.originals set due = now() where version = $1', [version]);
        sweep();
        const left = `select round(extract(epoch from due - now()) / 3600)::int as hours from _backend.originals
          where version = $1 and due > now()`;
        await expect.poll(() => query(left, [version])).toHaveLength(1);
        return (await query(left, [version]))[0]?.['hours'];
      };
      expect([await againAfter(0), await againAfter(5), await againAfter(700)]).toEqual([1, 5, 24]);
    },
  );
});
