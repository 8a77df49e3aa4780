import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Writable } from 'node:stream';
import fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ROLES } from '#contract/roles.ts';
import { SETUP_PATH, type TranscriptionSetup } from '#contract/setup.ts';
import { SpeechError } from '#server/speech/errors.ts';
import type { TranscriptionEngine } from '#server/speech/engine.ts';
import { setupRoutes } from '#server/speech/index.ts';
import { openModelStore, type ModelStore } from '#server/speech/models/store.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { describeModel, startModelServer, type ModelServer } from '#tests/support/model-server.ts';

const PATH = `${SETUP_PATH}/transcription`;
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', PATH],
  ['POST', `${PATH}/models/whisper-base`],
  ['DELETE', `${PATH}/models/whisper-base`],
  ['DELETE', `${PATH}/installation`],
  ['POST', `${PATH}/check`],
];

let server: TestServer;
let admin: TestUser;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

type Answer = Readonly<{ status: number; code: string | undefined; body: unknown }>;

async function ask(origin: string, person: TestUser | undefined, method: string, url: string): Promise<Answer> {
  const token = (await person?.client.auth.getSession())?.data.session?.access_token;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(origin + url, { method, headers });
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, code: (body as { error?: { code: string } } | undefined)?.error?.code, body };
}

describe('role × route', () => {
  for (const role of [...ROLES.filter((role) => role !== 'admin'), undefined]) {
    test(`${role ?? 'an account without a role'}: every route answers 403`, async () => {
      const person = await createUser(server, role === undefined ? {} : { role });
      for (const [method, url] of ROUTES) {
        expect([method, url, (await ask(server.url, person, method, url)).code]).toEqual([method, url, 'not_admin']);
      }
    });
  }

  test('a caller without a login: every route answers 401', async () => {
    for (const [method, url] of ROUTES) {
      const answer = await ask(server.url, undefined, method, url);
      expect([method, url, answer.status, answer.code]).toEqual([method, url, 401, 'not_authenticated']);
    }
  });

  test('an administrator sees the catalogue, and that nothing transcribes', async () => {
    const { body } = await ask(server.url, admin, 'GET', PATH);
    expect(body).toMatchObject({ by: 'nothing', installation: null, failure: null });
    const { models } = body as TranscriptionSetup;
    expect(models.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(models.every(({ isInstalled, bytes, licence }) => !isInstalled && bytes > 1e7 && licence !== null)).toBe(
      true,
    );
    expect(await ask(server.url, admin, 'POST', `${PATH}/check`)).toMatchObject({ code: 'nothing_transcribes' });
  });
});

describe('Installation by an administrator', () => {
  const CONTENT = randomBytes(300_000);
  const MODEL = describeModel(CONTENT);
  let hub: ModelServer;
  let origin: string;
  let log: string;
  let stop: () => Promise<void>;
  let transcribe: TranscriptionEngine['transcribe'];
  let list: ModelStore['list'];
  beforeAll(async () => {
    hub = await startModelServer(CONTENT);
  });
  afterAll(() => hub.stop());
  beforeEach(async () => {
    log = '';
    const sink = new Writable({
      write: (line: Buffer, _encoding, done) => {
        log += line.toString('utf8');
        done();
      },
    });
    const models = openModelStore({
      folder: path.join(server.dataDir, randomBytes(6).toString('hex')),
      mirrorUrl: hub.url,
      freeRoom: { bytes: 0, percent: 0 },
      catalogue: [MODEL],
      timing: { retryMs: 1, silenceMs: 20_000 },
    });
    list = models.list;
    const app = fastify({ loggerInstance: pino({ level: 'info' }, sink), forceCloseConnections: true });
    await app.register(
      setupRoutes({
        keys: server.backend.keys,
        backendUrl: server.url,
        publicKey: server.backend.keys.publishableKey,
        models: { ...models, list: () => list() },
        hasService: false,
        engine: async () => ({ transcribe: (request) => transcribe(request) }),
      }),
    );
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
    stop = () => app.close();
    return () => stop();
  });

  const asAdmin = (method: string, url: string): Promise<Answer> => ask(origin, admin, method, PATH + url);

  /** Asks again and again, as the page does. */
  async function waitFor(holds: (setup: TranscriptionSetup) => boolean): Promise<TranscriptionSetup> {
    for (;;) {
      const setup = (await asAdmin('GET', '')).body as TranscriptionSetup;
      if (holds(setup)) return setup;
    }
  }

  test('Installs a model, uses it and removes it, and logs who did it', async () => {
    expect(await asAdmin('POST', `/models/${MODEL.name}`)).toMatchObject({
      status: 202,
      body: { installation: { model: MODEL.name } },
    });
    const installed = await waitFor(({ installation }) => installation === null);
    expect(installed).toMatchObject({ by: 'model', failure: null });
    expect(installed.models).toMatchObject([{ name: MODEL.name, isInstalled: true, isInUse: true }]);
    expect(await asAdmin('DELETE', `/models/${MODEL.name}`)).toMatchObject({ status: 204 });
    expect((await asAdmin('GET', '')).body).toMatchObject({ by: 'nothing', models: [{ isInstalled: false }] });
    expect(await asAdmin('DELETE', `/models/${MODEL.name}`)).toMatchObject({ status: 404, code: 'not_installed' });
    const lines = log.split('\n').filter((line) => line.includes('setup: action accepted'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { action: 'install', model: MODEL.name, by: admin.id },
      { action: 'remove', model: MODEL.name, by: admin.id },
    ]);
  });

  test('Shows progress, refuses a second installation and cancels, and goes on from there', async () => {
    hub.behave({ kind: 'silence', afterBytes: 100_000 });
    await asAdmin('POST', `/models/${MODEL.name}`);
    const running = await waitFor(({ installation }) => (installation?.doneBytes ?? 0) > 0);
    expect(running.installation).toMatchObject({ phase: 'downloading', totalBytes: CONTENT.length });
    expect(await asAdmin('POST', `/models/${MODEL.name}`)).toMatchObject({ status: 409, code: 'install_running' });
    expect(await asAdmin('DELETE', '/installation')).toMatchObject({ status: 204 });
    const cancelled = (await asAdmin('GET', '')).body as TranscriptionSetup;
    expect(cancelled).toMatchObject({ by: 'nothing', installation: null, failure: null });
    expect(cancelled.models[0]?.partialBytes).toBeGreaterThan(0);
    const before = hub.ranges().length;
    await asAdmin('POST', `/models/${MODEL.name}`);
    expect(await waitFor(({ installation }) => installation === null)).toMatchObject({ by: 'model' });
    expect(hub.ranges()[before]).toMatch(/^bytes=\d+-$/);
  });

  test('An answer that says that nothing is being installed knows the outcome', async () => {
    const cut = Promise.withResolvers<void>();
    hub.behave({ kind: 'cut', afterBytes: 100_000, once: cut.promise });
    await asAdmin('POST', `/models/${MODEL.name}`);
    const unhindered = list;
    list = async () => {
      const listed = await unhindered();
      cut.resolve();
      await expect.poll(() => log).toContain('model installation ended');
      return listed;
    };
    expect((await asAdmin('GET', '')).body).toMatchObject({ by: 'nothing', installation: { model: MODEL.name } });
    expect((await asAdmin('GET', '')).body).toMatchObject({ by: 'model', installation: null });
  });

  test('Says why an installation failed, until the next one starts', async () => {
    hub.behave({ kind: 'status', status: 404 });
    await asAdmin('POST', `/models/${MODEL.name}`);
    const failed = await waitFor(({ installation }) => installation === null);
    expect(failed.failure).toEqual({ model: MODEL.name, code: 'source_refused' });
    await asAdmin('POST', `/models/${MODEL.name}`);
    expect(await waitFor(({ installation }) => installation === null)).toMatchObject({ failure: null, by: 'model' });
  });

  test('Refuses a model that the catalogue does not have', async () => {
    for (const name of ['nothing', '..%2F..%2Fetc%2Fpasswd']) {
      expect(await asAdmin('POST', `/models/${name}`)).toMatchObject({ status: 404, code: 'unknown_model' });
      expect(await asAdmin('DELETE', `/models/${name}`)).toMatchObject({ status: 404, code: 'unknown_model' });
    }
  });

  test('Stops a running installation with the server', async () => {
    hub.behave({ kind: 'silence', afterBytes: 1_000 });
    await asAdmin('POST', `/models/${MODEL.name}`);
    await waitFor(({ installation }) => (installation?.doneBytes ?? 0) > 0);
    await stop();
    expect(log).toContain('"outcome":"cancelled"');
  });

  test('Checks the German recording: text, word error rate and speed', async () => {
    transcribe = async ({ audio }) => {
      await Array.fromAsync(audio);
      return { text: 'Guten Tag.', segments: [] };
    };
    const { status, body } = await asAdmin('POST', '/check');
    expect(status).toBe(200);
    expect(body).toMatchObject({ text: 'Guten Tag.', expected: expect.stringContaining('Prüfmaschine') });
    expect((body as { wordErrorRate: number }).wordErrorRate).toBeCloseTo(17 / 19);
  });

  test.each(['model_unusable', 'engine_out_of_memory', 'engine_missing', 'engine_crashed'] as const)(
    'Says that a check failed for want of a usable model: %s',
    async (code) => {
      transcribe = () => Promise.reject(new SpeechError(code));
      expect(await asAdmin('POST', '/check')).toMatchObject({ status: 503, code });
    },
  );

  test('Ends a check before a proxy gives it up, and says that the machine is too slow', async () => {
    const begin = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => begin(ms < 60_000 ? ms : ms / 600));
    transcribe = ({ signal }) =>
      new Promise((_resolve, reject) => {
        const end = (): void => reject(new SpeechError('upload_aborted'));
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      });
    try {
      expect(await asAdmin('POST', '/check')).toMatchObject({ status: 503, code: 'check_too_slow' });
      expect(timeout.mock.calls.every(([ms]) => ms < 70_000)).toBe(true);
    } finally {
      timeout.mockRestore();
    }
  });

  test('Refuses a second check while one runs, and says where the transcription failed', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<never>();
    transcribe = () => {
      begun.resolve();
      return end.promise;
    };
    const first = asAdmin('POST', '/check');
    await begun.promise;
    expect(await asAdmin('POST', '/check')).toMatchObject({ status: 409, code: 'check_running' });
    end.reject(new SpeechError('service_unreachable'));
    expect(await first).toMatchObject({ status: 502, code: 'transcription_failed' });
  });
});
