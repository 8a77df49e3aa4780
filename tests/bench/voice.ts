import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';
import type { VoiceTicketRequest } from '#contract/voice.ts';
import { SpeechSegmenter } from '#server/voice-agent/embedded/segments.ts';
import { loadVoiceDetector, VAD_FRAME_MS } from '#server/voice-agent/audio/vad.ts';
import { TURN_TAKING } from '#server/voice-agent/embedded/turn-taking.ts';
import { percentile } from '#tests/support/percentile.ts';
import { spawnServer } from '#tests/support/process.ts';
import { startSpeechServices } from '#tests/support/speech-services.ts';
import { fixturePcm } from '#tests/support/voice-audio.ts';
import { getTicket } from '#tests/support/voice-client.ts';
import { startHostedService, UPSTREAM_METADATA } from '#tests/support/voice-hosted.ts';
import { INITIATION, rawCall, type RawCall } from '#tests/support/voice-socket.ts';
import { memory } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const CHUNK_MS = 250;
const CHUNK_BYTES = 8_000;
const TALKING = 60;
const TALK_CHUNKS = 40;
const IDLE = 1_000;
const TICKS_PER_S = 100;
const ANSWERS = 12;
/** Of the loopback voice, with room. */
export const GREETING_MS = 2_500;
export const SPOKEN = { ...INITIATION, conversation_config_override: { conversation: { text_only: false } } };

type Caller = (body: Partial<VoiceTicketRequest>, initiation?: unknown) => Promise<RawCall>;

/** A server process of its own, with loopback services. */
export async function voiceRows(): Promise<Row[]> {
  const [speech, hosted] = await Promise.all([startSpeechServices(), startHostedService()]);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-bench-voice-'));
  const server = spawnServer({
    ...speech.env,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    VOICE_AGENT_URL: hosted.url,
    VOICE_AGENT_KEY: 'k',
    VOICE_AGENT_IDS: '{"tech-dive":"agent"}',
    VOICE_SESSIONS: '5000',
    VOICE_SESSIONS_PER_USER: '5000',
    VOICE_MINUTES_PER_DAY: '1000000',
  });
  try {
    const call = await getCaller(await server.url, dataDir);
    const pid = server.child.pid ?? 0;
    return [
      await connectRow(call),
      // Before the others leave their garbage behind.
      await idleRow(call, pid),
      await relayRow(call, hosted),
      await talkingRow(call, pid),
      ...(await answerRows(call, speech.words)),
    ];
  } finally {
    await server.end('SIGTERM');
    await Promise.all([speech.stop(), hosted.stop(), rm(dataDir, { recursive: true, force: true })]);
  }
}

export async function getCaller(url: string, dataDir: string): Promise<Caller> {
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as Account[];
  const account = accounts.find(({ role }) => role === 'vdi_admin') ?? { email: '', password: '', role: '' };
  const client = createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data, error } = await client.auth.signInWithPassword(account);
  if (error) throw error;
  const headers = { apikey: supabaseKey, authorization: `Bearer ${data.session.access_token}` };
  return async (body, initiation = INITIATION) => {
    const made = await rawCall((await getTicket(url, headers, body)).signedUrl);
    made.send(initiation);
    return made;
  };
}

type Account = Readonly<{ email: string; password: string; role: string }>;

/** From the request for a ticket to the metadata. */
async function connectRow(call: Caller): Promise<Row> {
  const times: number[] = [];
  for (let at = 0; at < 50; at++) {
    const begun = performance.now();
    const made = await call({});
    await made.until('conversation_initiation_metadata');
    times.push(performance.now() - begun);
    made.socket.close();
  }
  return ceiling('voice: ticket to metadata, p95', percentile(times, 0.95), 'ms');
}

/** From a client's audio chunk to the hosted service. */
async function relayRow(call: Caller, hosted: Awaited<ReturnType<typeof startHostedService>>): Promise<Row> {
  const upstream = hosted.connected();
  const made = await call({ topic: 'tech-dive' }, SPOKEN);
  const socket = await upstream;
  hosted.say(UPSTREAM_METADATA);
  await made.until('conversation_initiation_metadata');
  const times: number[] = [];
  const audio = Buffer.alloc(CHUNK_BYTES).toString('base64');
  for (let at = 0; at < 200; at++) {
    const arrived = new Promise((resolve) => void socket.once('message', resolve));
    const begun = performance.now();
    made.send({ user_audio_chunk: audio });
    await arrived;
    times.push(performance.now() - begun);
    await wait(15);
  }
  made.socket.close();
  return ceiling('voice: gateway overhead per audio chunk, p95', percentile(times, 0.95), 'ms', 20);
}

/** Share of one core that 60 people talking at once take, voice activity detection included. */
async function talkingRow(call: Caller, pid: number): Promise<Row> {
  const speech = await fixturePcm('satz-a.wav');
  const calls = await Promise.all(Array.from({ length: TALKING }, () => call({}, SPOKEN)));
  await Promise.all(calls.map((made) => made.until('agent_response')));
  const begun = { cpu: await cpuSeconds(pid), at: performance.now() };
  for (let chunk = 0; chunk < TALK_CHUNKS; chunk++) {
    const from = (chunk * CHUNK_BYTES) % (speech.length - CHUNK_BYTES);
    const audio = speech.subarray(from, from + CHUNK_BYTES).toString('base64');
    for (const made of calls) made.send({ user_audio_chunk: audio });
    await wait(Math.max(0, begun.at + (chunk + 1) * CHUNK_MS - performance.now()));
  }
  const share = ((await cpuSeconds(pid)) - begun.cpu) / ((performance.now() - begun.at) / 1_000);
  for (const made of calls) made.socket.close();
  return ceiling(`voice: ${TALKING} people talking, share of one core`, share * 100, '%', 100);
}

/** From the end of 0.9 s of silence to the next question, with services that need no time: what is left is our own. */
async function answerRows(call: Caller, words: string[]): Promise<Row[]> {
  const sentence = await fixturePcm('satz-a.wav');
  const silenceEndsMs = (await speechEndsMs(sentence)) + TURN_TAKING.endSilenceMs;
  const times: number[] = [];
  for (let turn = 0; turn < ANSWERS; turn++) {
    words.splice(0, words.length, ...Array.from({ length: 10 }, () => 'Wir bauen gerade eine neue Halle in Bremen.'));
    const made = await call({}, SPOKEN);
    await made.until('agent_response');
    await wait(GREETING_MS);
    const begun = performance.now();
    const answeredAt = await speakUntilAnswered(made, sentence, begun);
    times.push(answeredAt - begun - silenceEndsMs);
    made.socket.close();
  }
  return [
    ceiling('voice: own share of an answer, p50', percentile(times, 0.5), 'ms', 50),
    ceiling('voice: own share of an answer, p95', percentile(times, 0.95), 'ms'),
  ];
}

/** A microphone in real time; after the sentence it hears silence. Answers when the next question came. */
export async function speakUntilAnswered({ socket, send }: RawCall, sentence: Buffer, begun: number): Promise<number> {
  let answeredAt: number | undefined;
  socket.on('message', (data: Buffer) => {
    if (data.includes('"type":"agent_response"')) answeredAt ??= performance.now();
  });
  for (let chunk = 0; answeredAt === undefined && chunk < 100; chunk++) {
    await wait(Math.max(0, begun + (chunk + 1) * CHUNK_MS - performance.now()));
    const spoken = sentence.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
    send({ user_audio_chunk: Buffer.concat([spoken, Buffer.alloc(CHUNK_BYTES - spoken.length)]).toString('base64') });
  }
  return answeredAt ?? Number.NaN;
}

/** When the last speech of a recording ends, as the server hears it. */
export async function speechEndsMs(pcm: Buffer): Promise<number> {
  const detector = await loadVoiceDetector();
  let frame = 0;
  let last = 0;
  const segmenter = new SpeechSegmenter({
    stream: detector.open(),
    now: () => 0,
    onFrame: ({ speech }) => {
      frame += 1;
      if (speech) last = frame;
    },
  });
  segmenter.push(pcm);
  return last * VAD_FRAME_MS;
}

async function idleRow(call: Caller, pid: number): Promise<Row> {
  const before = (await memory(pid)).now;
  const calls: RawCall[] = [];
  for (let at = 0; at < IDLE; at += 50) {
    calls.push(...(await Promise.all(Array.from({ length: 50 }, () => call({ textOnly: true })))));
  }
  await Promise.all(calls.map((made) => made.until('agent_response')));
  const after = (await memory(pid)).now;
  for (const made of calls) made.socket.close();
  return ceiling(`voice: ${IDLE} idle connections, memory`, after - before, 'MB', 100);
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
