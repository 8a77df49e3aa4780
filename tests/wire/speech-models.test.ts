import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ModelError } from '#server/speech/models/catalogue.ts';
import type { InstallProgress } from '#server/speech/models/download.ts';
import { openModelStore, type ModelStore } from '#server/speech/models/store.ts';
import { mountDisk } from '#tests/support/disk.ts';
import { describeModel, startModelServer, type ModelServer } from '#tests/support/model-server.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

const CONTENT = randomBytes(300_000);
const MODEL = describeModel(CONTENT);
const NO_SPARE = { bytes: 0, percent: 0 };
const FAST = { retryMs: 1, silenceMs: STATE_MS };

let folder: string;
let server: ModelServer;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-models-'));
  server = await startModelServer(CONTENT);
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function openStore(given: Partial<Parameters<typeof openModelStore>[0]> = {}): ModelStore {
  return openModelStore({
    folder,
    mirrorUrl: server.url,
    freeRoom: NO_SPARE,
    catalogue: [MODEL],
    timing: FAST,
    ...given,
  });
}

const install = (store: ModelStore, options?: Parameters<ModelStore['install']>[1]) =>
  store.install(MODEL.name, options);

const getCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof ModelError ? error.code : error),
  );

const listFiles = async (): Promise<string[]> => (await readdir(folder)).toSorted();

describe('Installation of a speech model', () => {
  test('Downloads a model, reports progress and puts it into use', async () => {
    const store = openStore();
    const steps: InstallProgress[] = [];
    const installed = await install(store, { onProgress: (step) => steps.push(step) });
    expect(await readFile(installed.path)).toEqual(CONTENT);
    expect(await store.findInUse()).toEqual(installed);
    expect(steps[0]).toEqual({ phase: 'downloading', doneBytes: 0, totalBytes: CONTENT.length });
    expect(steps).toContainEqual({ phase: 'downloading', doneBytes: CONTENT.length, totalBytes: CONTENT.length });
    expect(steps.at(-1)).toEqual({ phase: 'verifying', doneBytes: CONTENT.length, totalBytes: CONTENT.length });
    expect(await listFiles()).toEqual([MODEL.file, `${MODEL.file}.json`]);
  });

  test('Continues a download over connections that break', async () => {
    const read = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    server.behave(
      { kind: 'cut', afterBytes: 100_000, once: read[0].promise },
      { kind: 'cut', afterBytes: 50_000, once: read[1].promise },
    );
    const onProgress = ({ doneBytes }: InstallProgress): void => {
      if (doneBytes > 0) read[server.ranges().length - 1]?.resolve();
    };
    const installed = await install(openStore(), { onProgress });
    expect(await readFile(installed.path)).toEqual(CONTENT);
    expect(server.ranges()[0]).toBe('');
    expect(
      server
        .ranges()
        .slice(1)
        .every((range) => /^bytes=[1-9]\d*-$/.test(range)),
    ).toBe(true);
  });

  test('Continues where a cancelled download stopped', async () => {
    const store = openStore();
    const stopping = new AbortController();
    server.behave({ kind: 'silence', afterBytes: 100_000 });
    const first = install(store, {
      signal: stopping.signal,
      onProgress: ({ doneBytes }) => doneBytes > 0 && stopping.abort(),
    });
    // The first piece may be reported before the rest of it arrives.
    expect(await getCode(first)).toBe('aborted');
    const { size } = await stat(path.join(folder, `${MODEL.file}.part`));
    expect((await store.list())[0]).toMatchObject({ partialBytes: size, installed: undefined });
    await install(store);
    expect(server.ranges()).toEqual(['', `bytes=${size}-`]);
    expect((await store.list())[0]).toMatchObject({ partialBytes: 0, isInUse: true });
  });

  test('Gives up a connection that sends nothing and takes another', async () => {
    // Frozen: otherwise a busy machine is as silent as the source.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const arrived = Promise.withResolvers<void>();
      const onProgress = ({ doneBytes }: InstallProgress): void => void (doneBytes === 100_000 && arrived.resolve());
      server.behave({ kind: 'silence', afterBytes: 100_000 });
      const installing = install(openStore({ timing: { retryMs: 1 } }), { onProgress });
      await arrived.promise;
      expect(server.ranges()).toHaveLength(1);
      vi.advanceTimersByTime(30_000);
      expect(await readFile((await installing).path)).toEqual(CONTENT);
      expect(server.ranges()).toEqual(['', 'bytes=100000-']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('Leaves the source where the file cannot be written', async () => {
    await mkdir(path.join(folder, `${MODEL.file}.part`));
    server.behave(...Array.from({ length: 5 }, () => ({ kind: 'silence', afterBytes: 1_000 }) as const));
    expect(await getCode(install(openStore()))).toBe('source_unreachable');
    expect(server.ranges()).toHaveLength(5);
    await expect.poll(server.connections).toBe(0);
  });

  test('Starts again where the source cannot continue', async () => {
    for (const kind of ['no-ranges', 'wrong-range'] as const) {
      await writeFile(path.join(folder, `${MODEL.file}.part`), CONTENT.subarray(0, 1_000));
      server.behave({ kind });
      const store = openStore();
      expect(await readFile((await install(store)).path)).toEqual(CONTENT);
      await store.remove(MODEL.name);
    }
  });

  test('Starts again where an earlier version left a part of another file', async () => {
    await writeFile(path.join(folder, `${MODEL.file}.part`), randomBytes(1_000));
    expect(await readFile((await install(openStore())).path)).toEqual(CONTENT);
  });

  test('Gives a file its name only with the right sum', async () => {
    server.behave({ kind: 'other-content' });
    const store = openStore();
    expect(await getCode(install(store))).toBe('wrong_sum');
    expect(await listFiles()).toEqual([]);
    expect(await store.findInUse()).toBeUndefined();
  });

  test('Refuses a file of another length before it is downloaded', async () => {
    const store = openStore({ catalogue: [{ ...MODEL, bytes: CONTENT.length + 7 }] });
    expect(await getCode(install(store))).toBe('wrong_sum');
    expect(await listFiles()).toEqual([]);
  });

  test('Follows redirects, and none in a circle', async () => {
    server.behave({ kind: 'redirect', to: '/elsewhere' });
    await install(openStore());
    await openStore().remove(MODEL.name);
    server.behave(...Array.from({ length: 6 }, () => ({ kind: 'redirect', to: '/again' }) as const));
    expect(await getCode(install(openStore()))).toBe('source_refused');
    server.behave({ kind: 'redirect', to: 'file:///etc/passwd' });
    expect(await getCode(install(openStore()))).toBe('source_refused');
  });

  test('Tries again while the source is overloaded, not where it refuses', async () => {
    server.behave({ kind: 'status', status: 503 }, { kind: 'status', status: 429 });
    await install(openStore());
    await openStore().remove(MODEL.name);
    const before = server.ranges().length;
    server.behave({ kind: 'status', status: 404 });
    expect(await getCode(install(openStore()))).toBe('source_refused');
    expect(server.ranges().length - before).toBe(1);
  });

  test('Names a source that does not answer', async () => {
    expect(await getCode(install(openStore({ mirrorUrl: 'http://127.0.0.1:1' })))).toBe('source_unreachable');
  });

  test('Needs room on the disk before the first byte', async () => {
    const store = openStore({ freeRoom: { bytes: Number.MAX_SAFE_INTEGER, percent: 100 } });
    const error: unknown = await install(store).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'disk_full' });
    expect(server.ranges()).toEqual([]);
  });

  test('Keeps what has arrived where the disk fills up in between', async (context) => {
    const disk = await mountDisk(1);
    context.skip(disk === undefined, 'this machine allows no mounts');
    if (disk === undefined) return;
    try {
      await mkdir(path.join(disk.folder, 'models'));
      const store = openStore({ folder: path.join(disk.folder, 'models') });
      const filler = path.join(disk.folder, 'filler');
      // The room is there at the check and gone at the write.
      const fillDisk = ({ doneBytes }: InstallProgress): void => {
        if (doneBytes > 0) return;
        try {
          writeFileSync(filler, Buffer.alloc(1024 * 1024));
        } catch {
          // As much as fits is written.
        }
      };
      expect(await getCode(install(store, { onProgress: fillDisk }))).toBe('disk_full');
      await rm(filler);
      expect(await readFile((await install(store)).path)).toEqual(CONTENT);
    } finally {
      await disk.unmount();
    }
  });

  test('Installs a file without a network, and only the right one', async () => {
    const file = path.join(folder, 'brought.bin');
    await writeFile(file, Buffer.concat([CONTENT.subarray(1), Buffer.from('x')]));
    const store = openStore();
    expect(await getCode(install(store, { file }))).toBe('wrong_sum');
    await writeFile(file, CONTENT);
    expect(await readFile((await install(store, { file })).path)).toEqual(CONTENT);
    expect(await getCode(openStore().remove('other'))).toBe('unknown_model');
    await store.remove(MODEL.name);
    expect(await getCode(install(store, { file: `${file}.missing` }))).toBe('file_unreadable');
    expect(server.ranges()).toEqual([]);
  });

  test('Adopts a whole file whose record a killed process did not write', async () => {
    await writeFile(path.join(folder, MODEL.file), CONTENT);
    const store = openStore();
    expect(await store.findInUse()).toBeUndefined();
    await install(store);
    expect(await store.findInUse()).toMatchObject({ name: MODEL.name });
    expect(server.ranges()).toEqual([]);
  });

  test('Lets one of two servers on one folder install', async () => {
    server.behave({ kind: 'silence', afterBytes: 100 });
    const stopping = new AbortController();
    let started = (): void => undefined;
    const downloading = new Promise<void>((resolve) => (started = resolve));
    const first = install(openStore(), {
      signal: stopping.signal,
      onProgress: ({ doneBytes }) => doneBytes > 0 && started(),
    });
    await downloading;
    expect(await getCode(install(openStore()))).toBe('install_running');
    expect(await getCode(openStore().remove(MODEL.name))).toBe('install_running');
    stopping.abort();
    expect(await getCode(first)).toBe('aborted');
    await install(openStore());
  });

  test('Takes over the lock of a process that ended, here or on another machine', async () => {
    const lock = path.join(folder, `${MODEL.file}.lock`);
    await writeFile(lock, JSON.stringify({ id: '1', host: 'another-machine', pid: 1 }));
    expect(await getCode(install(openStore()))).toBe('install_running');
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(lock, longAgo, longAgo);
    await install(openStore());
    expect(await listFiles()).toEqual([MODEL.file, `${MODEL.file}.json`]);
  });
});

describe('Installed speech models', () => {
  test('Uses the model that was installed last', async () => {
    const other = describeModel(CONTENT, { name: 'other', file: 'ggml-other.bin' });
    const store = openStore({ catalogue: [MODEL, other] });
    await store.install(MODEL.name);
    await store.install(other.name);
    expect(await store.findInUse()).toMatchObject({ name: 'other' });
    await store.install(MODEL.name);
    expect(await store.findInUse()).toMatchObject({ name: MODEL.name });
    expect(server.ranges().length).toBe(2);
    await store.remove(MODEL.name);
    expect(await store.findInUse()).toMatchObject({ name: 'other' });
  });

  test('Keeps an installed model that a later catalogue no longer has', async () => {
    await install(openStore());
    const later = openStore({ catalogue: [] });
    expect(await later.findInUse()).toMatchObject({ name: MODEL.name, kind: 'whisper' });
    expect(await later.list()).toMatchObject([{ name: MODEL.name, catalogue: undefined, isInUse: true }]);
    await later.remove(MODEL.name);
    expect(await listFiles()).toEqual([]);
  });

  test('Ignores a model that was cut short or whose record is damaged', async () => {
    const store = openStore();
    const { path: file } = await install(store);
    await writeFile(file, CONTENT.subarray(1));
    expect(await store.findInUse()).toBeUndefined();
    await install(store);
    await writeFile(`${file}.json`, '{');
    expect(await store.findInUse()).toBeUndefined();
  });

  test('Lists nothing in a folder that does not exist yet', async () => {
    const store = openStore({ folder: path.join(folder, 'none') });
    expect(await store.list()).toMatchObject([{ name: MODEL.name, installed: undefined, partialBytes: 0 }]);
    expect(await getCode(store.remove(MODEL.name))).toBe('not_installed');
  });
});
