import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { installModel, isRunning } from '#tests/support/local-engine.ts';
import { inherited } from '#tests/support/processes.ts';
import { fixture, postRecording, readEvents, recordingForm } from '#tests/support/speech-app.ts';
import { makeWhisperModel } from '#tests/support/whisper-model.ts';

const WORDS = 'Guten Morgen';
/** Of `sprache.wav`. */
const LENGTH_S = 7.6238125;

let server: TestServer;
let authorization: string;
let adminAuthorization: string;
beforeAll(async () => {
  server = await bootServer();
  [authorization, adminAuthorization] = await Promise.all([signIn('firma_a'), signIn('admin')]);
});
afterAll(() => server.stop());

async function signIn(role: 'firma_a' | 'admin'): Promise<string> {
  const { client } = await createUser(server, { role });
  const { data } = await client.auth.getSession();
  return `Bearer ${data.session?.access_token ?? ''}`;
}

const post = async (fields: Readonly<Record<string, string>> = {}): Promise<Response> =>
  postRecording(server.url, recordingForm(await fixture('sprache.wav'), { fields }), { authorization });

const getJson = async (route: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await fetch(`${server.url}${route}`, { headers })).json();

/** One server in order: without a model, with one, without it again. */
describe('A server with a model of its own', () => {
  test('Transcribes nothing before a model is installed', async () => {
    const response = await post();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'transcription_unavailable' } });
    expect(await getJson('/config.json')).toMatchObject({ transcription: false });
    expect(await getJson('/health')).toMatchObject({ transcription: 'not configured' });
  });

  test('Transcribes with a model that is installed while it runs', async () => {
    await installModel(path.join(server.dataDir, 'models'), makeWhisperModel());
    expect(await getJson('/config.json')).toMatchObject({ transcription: true });
    const response = await post();
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { text: WORDS } });
    const detailed = await post({ response_format: 'verbose_json' });
    expect(await detailed.json()).toEqual({
      task: 'transcribe',
      language: 'de',
      duration: LENGTH_S,
      text: WORDS,
      segments: [{ id: 0, start: 0, end: LENGTH_S, text: WORDS }],
    });
  });

  test('Streams text and progress of its own model', async () => {
    const events = await Array.fromAsync(readEvents(await post({ stream: 'true', progress: 'true' })));
    expect(events).toContainEqual({ type: 'transcript.text.delta', delta: WORDS });
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: WORDS });
  });

  test('Gives a prompt in the form to the model', async () => {
    // The generated decoder follows positions alone, so a word before it moves what it says by two.
    expect(await (await post({ prompt: 'Guten' })).json()).toEqual({ text: 'Morgen' });
  });

  test('Shows memory, jobs and speed to administrators alone', async () => {
    expect(await getJson('/health', { authorization: adminAuthorization })).toMatchObject({
      transcription: 'configured',
      speech: {
        model: 'test-model',
        memoryBytes: expect.any(Number),
        jobs: 0,
        speed: expect.any(Number),
      },
    });
    expect(await getJson('/health', { authorization })).not.toHaveProperty('speech');
    expect(await getJson('/health', { authorization: 'Bearer none' })).not.toHaveProperty('speech');
    expect(await getJson('/health')).not.toHaveProperty('speech');
  });

  test('Ends the process of the model with the server', async () => {
    const second = await bootServer();
    await installModel(path.join(second.dataDir, 'models'), makeWhisperModel());
    const { client } = await createUser(second, { role: 'admin' });
    const { data } = await client.auth.getSession();
    const headers = { authorization: `Bearer ${data.session?.access_token ?? ''}` };
    await postRecording(second.url, recordingForm(await fixture('sprache.wav')), headers);
    const health: unknown = await (await fetch(`${second.url}/health`, { headers })).json();
    const { pid } = (health as { speech: { pid: number } }).speech;
    expect(await isRunning(pid)).toBe(true);
    await second.stop();
    expect(await isRunning(pid)).toBe(false);
  });
});

describe('npm run speech', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'smca-speech-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: string[]): Promise<Readonly<{ code: number; out: string; err: string }>> =>
    new Promise((resolve) => {
      const env = { ...inherited(), DATA_DIR: folder, INIT_CWD: folder, SPEECH_MODELS_URL: 'http://127.0.0.1:1' };
      execFile(process.execPath, ['src/server/speech/command/cli.ts', ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  test('Lists models with size, licence and state', async () => {
    const { code, out } = await run('list');
    expect(code).toBe(0);
    // As the page 'Einrichtung' has it.
    expect(out).toMatch(/parakeet-q8 +637,8 MB +nicht eingerichtet\n.*\n.*NVIDIA, CC-BY-4\.0/);
  });

  test('Says what is wrong with arguments, a file and the network', async () => {
    expect(await run('instal')).toMatchObject({ code: 2, err: expect.stringContaining('instal\n\nSpracherkennung') });
    await writeFile(path.join(folder, 'other.bin'), 'another file');
    const wrongFile = await run('install', 'whisper-base', '--file', 'other.bin');
    expect(wrongFile).toMatchObject({ code: 1, err: expect.stringContaining('nicht die erwartete') });
    expect(await run('remove', 'whisper-base')).toMatchObject({ code: 1, err: expect.stringContaining('nicht eing') });
    expect(await run('check')).toMatchObject({ code: 1, err: expect.stringContaining('weder ein Dienst') });
  });

  test('Checks the recording of the server and one of the operator', async () => {
    await installModel(path.join(folder, 'models'), makeWhisperModel());
    const known = await run('check');
    expect(known).toMatchObject({ code: 0, err: '' });
    expect(known.out).toMatch(/Modell test-model\n\nGuten Morgen\n\nFalsche Wörter: \d+ %\nDauer: .* s je Sekunde\n$/);
    await writeFile(path.join(folder, 'own.wav'), await fixture('sprache.wav'));
    const none = await run('check', 'none.wav');
    expect(none).toMatchObject({ code: 1, err: expect.stringMatching(/^Die Datei \S+none.wav gibt es nicht/) });
    const own = await run('check', 'own.wav');
    expect(own.out).toMatch(/\n\nGuten Morgen\n\nDauer: [\d,]+ s für 7,62 s Ton/);
    expect(await run('remove', 'test-model')).toMatchObject({ code: 0, out: 'test-model ist gelöscht.\n' });
  });
});
