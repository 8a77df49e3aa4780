import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { repetitions } from '#tests/support/thorough.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';
import { getTicket } from '#tests/support/voice-client.ts';
import { INITIATION, rawCall } from '#tests/support/voice-socket.ts';

/** D16: every line that a client was shown is in the turn log, whatever becomes of the server. */
let dataDir: string;
let server: ServerProcess;
beforeAll(async () => {
  dataDir = await makeUsedFolder();
});
afterAll(async () => {
  await server.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

type Session = Readonly<{ url: string; client: SupabaseClient; headers: Record<string, string> }>;

async function start(): Promise<Session> {
  server = spawnServer({ DATA_DIR: dataDir, VOICE_SESSIONS_PER_USER: '10' });
  const url = await server.url;
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as Account[];
  const { email, password } = accounts.find(({ role }) => role === 'vdi_admin') ?? expect.fail();
  const client = createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return { url, client, headers: { apikey: supabaseKey, authorization: `Bearer ${data.session.access_token}` } };
}

type Account = Readonly<{ email: string; password: string; role: string }>;
type Spoken = Readonly<{
  type: string;
  agent_response_event?: { agent_response: string };
  user_transcription_event?: { user_transcript: string };
}>;

/**
 * Talks until `lines` lines were shown, and kills the server in the same moment. Answers what was shown: one more may
 * be on its way already.
 */
async function talkUntilKilled({ url, headers }: Session, interviewId: number, lines: number): Promise<string[]> {
  const shown: string[] = [];
  const call = await rawCall((await getTicket(url, headers, { interviewId, textOnly: true })).signedUrl);
  call.socket.on('message', (data: Buffer) => {
    const { agent_response_event, user_transcription_event } = JSON.parse(data.toString('utf8')) as Spoken;
    const line = agent_response_event?.agent_response ?? user_transcription_event?.user_transcript;
    if (line === undefined) return;
    shown.push(line);
    if (shown.length === lines) server.child.kill('SIGKILL');
    else if (agent_response_event !== undefined) {
      call.send({ type: 'user_message', text: `Antwort ${shown.length}: Wir bauen gerade eine neue Halle in Bremen.` });
    }
  });
  call.send(INITIATION);
  await call.closed;
  await server.end('SIGKILL');
  return shown;
}

test('A server killed in the moment it shows a line has it in the log (D16)', async () => {
  let session = await start();
  for (const lines of [1, 2, 3, 4].slice(0, repetitions(3, 4))) {
    const made = await session.client.from('interviews').insert({}).select('id').single();
    const id = Number(made.data?.['id']);
    const shown = await talkUntilKilled(session, id, lines);
    session = await start();
    const { data } = await session.client.from('interview_turns').select('content').eq('interview_id', id).order('id');
    expect(data?.map(({ content }) => String(content)).slice(0, shown.length)).toEqual(shown);
  }
});
