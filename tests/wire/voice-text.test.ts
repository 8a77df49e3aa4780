import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatTranscript, type Turn } from '#contract/transcript.ts';
import { BANKS } from '#server/voice-agent/interviewer/banks.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, asOwner, createAccounts, login, newKey, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import {
  getTicket,
  keyHeaders,
  lastQuestion,
  loginHeaders,
  post,
  talk,
  type Talk,
} from '#tests/support/voice-client.ts';
import { repetitions } from '#tests/support/thorough.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { startVoiceApp } from '#tests/support/voice-app.ts';
import { storedInterview, type StoredInterview } from '#tests/support/voice-rows.ts';
import { checkConversation } from '#tests/support/voice-schema.ts';
import { BLOCKED } from '#tests/support/held-rows.ts';

const CUTS = repetitions(15, 50);

/** Without any service (speech.md): the same interviewer, text only, through the official Node client. */
let server: TestServer;
let admin: Account;
let other: Account;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await bootServer();
  const accounts = await createAccounts(server.databaseUrl);
  admin = accounts.admin;
  other = accounts.vdi_admin;
  headers = await loginHeaders(server.backend.keys, admin);
});
afterAll(() => server.stop());

const ANSWER = 'Wir bauen gerade eine neue Halle für unsere Prüfstände auf.';
const newInterview = (): Promise<number> => createInterview(server.backend.database, login(admin));
const stored = (id: number): Promise<StoredInterview> => storedInterview(server.backend.database, id);

async function start(
  body: Parameters<typeof getTicket>[2] = {},
  options: Parameters<typeof talk>[1] = {},
): Promise<Talk> {
  const ticket = await getTicket(server.url, headers, body);
  const call = await talk(ticket.signedUrl, { textOnly: true, ...options });
  await call.next('agent_response');
  return call;
}

async function say(call: Talk, text: string): Promise<string> {
  const before = call.of('agent_response').length;
  call.conversation.sendUserMessage(text);
  await call.next('agent_response', before + 1);
  return lastQuestion(call.of);
}

/** What the client saw being said. */
function said(call: Talk): Turn[] {
  return call.messages.flatMap((message): Turn[] => {
    if (message.type === 'agent_response')
      return [{ speaker: 'agent', text: message.agent_response_event.agent_response }];
    if (message.type !== 'user_transcript') return [];
    return [{ speaker: 'user', text: message.user_transcription_event.user_transcript }];
  });
}

describe('Turn log first (D16)', () => {
  test('Shows a line only after writing it', async () => {
    const id = await newInterview();
    const app = await startVoiceApp(server, { clock: testClock() });
    const { signedUrl } = await getTicket(app.url, headers, { interviewId: id });
    const call = await talk(signedUrl, { textOnly: true });
    await call.next('agent_response');
    await asOwner(server.databaseUrl, async (client) => {
      await client.query('begin; lock table public.interview_turns in access exclusive mode');
      call.conversation.sendUserMessage(ANSWER);
      await expect.poll(async () => (await client.query(BLOCKED)).rowCount).toBeGreaterThan(0);
      expect(call.of('user_transcript')).toEqual([]);
      await client.query('rollback');
    });
    await call.next('user_transcript');
    expect((await stored(id)).turns).toContainEqual({ speaker: 'user', text: ANSWER });
    call.conversation.endSession();
    await app.stop();
  });
});

describe('Voice agent without any service (§7)', () => {
  test('Leaves voice and recognition to the browser, and /health reports text', async () => {
    const ticket = await getTicket(server.url, headers);
    expect(ticket).toMatchObject({
      engine: 'browser',
      textOnly: true,
      expiresInS: 60,
      capabilities: { transcription: false, speech: false },
    });
    expect(new URL(ticket.signedUrl).host).toBe(new URL(server.url).host);
    const health = await fetch(`${server.url}/health`);
    expect(await health.json()).toMatchObject({ voice: 'text' });
  });

  test('Asks the five W-questions of a media description and stores each answer (§9)', async () => {
    const id = await newInterview();
    const told: Record<string, unknown> = {};
    const call = await start(
      { interviewId: id, topic: 'media-description' },
      { tools: { set_w_answer: async ({ question, answer }) => ((told[String(question)] = answer), 'ok') } },
    );
    const answers = {
      what: 'Ein Kran',
      who: 'Das Team Süd',
      when: 'Gestern',
      where: 'In Bremen',
      why: 'Weil er so groß ist',
    };
    for (const answer of Object.values(answers)) await say(call, answer);
    await call.next('agent_tool_response');
    expect(await call.closed).toEqual({ code: 1000, reason: 'interview ended' });
    expect(told).toEqual(answers);
    await expect.poll(async () => (await stored(id)).answers).toEqual(answers);
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(call)));
    expect((await stored(id)).turns).toEqual(said(call));
    expect(checkConversation(call.messages)).toEqual([]);
  });

  test('Probes a short answer once', async () => {
    const call = await start();
    const [first, second] = BANKS['behind-scenes'].questions;
    expect(await say(call, 'Eine Halle.')).toBe(first?.probe);
    expect(await say(call, 'Ja.')).toContain(second?.text);
    call.conversation.endSession();
  });

  test('Says the closing words once when the user types on', async () => {
    const call = await start();
    call.conversation.sendUserMessage('Ich möchte jetzt aufhören.');
    call.conversation.sendUserMessage('Danke dir!');
    expect(await call.closed).toEqual({ code: 1000, reason: 'interview ended' });
    expect(call.of('agent_tool_response')).toHaveLength(1);
    expect(said(call).filter(({ text }) => text.includes('Vielen Dank für deine Zeit'))).toHaveLength(1);
  });

  test('Applies the overrides first_message and dynamic_variables', async () => {
    const call = await start(
      {},
      { firstMessage: 'Moin {{name}}, {{ ort }}?', variables: { name: 'Ada', ort: 'Kiel' } },
    );
    expect(lastQuestion(call.of)).toBe('Moin Ada, Kiel?');
    expect(await say(call, ANSWER)).toContain(BANKS['behind-scenes'].questions[0]?.text);
    call.conversation.endSession();
  });

  test('Stores a like with the conversation (§7)', async () => {
    const id = await newInterview();
    const call = await start({ interviewId: id });
    const liked = (await call.next('agent_response')).agent_response_event.event_id;
    call.conversation.sendUserMessage(ANSWER);
    sendRaw(call, { type: 'feedback', score: 'like', event_id: liked });
    sendRaw(call, { type: 'feedback', score: null, event_id: liked });
    await expect.poll(async () => (await stored(id)).feedback).toEqual([`${liked}: like`]);
    call.conversation.endSession();
  });
});

describe('Interview row (§4)', () => {
  test('Writes earlier turns once the row is bound', async () => {
    const call = await start();
    await say(call, ANSWER);
    const id = await newInterview();
    const address = `${server.url}/v1/convai/conversations/${call.conversation.getConversationId()}/interview`;
    expect((await post(address, headers, { interviewId: id })).status).toBe(204);
    expect((await post(address, headers, { interviewId: id })).status).toBe(204);
    await expect.poll(async () => (await stored(id)).turns).toEqual(said(call));
    expect((await post(address, headers, { interviewId: await newInterview() })).status).toBe(409);
    expect((await post(address, headers, { interviewId: 0 })).status).toBe(400);
    const strangers = await loginHeaders(server.backend.keys, other);
    expect((await post(address, strangers, { interviewId: id })).status).toBe(404);
    call.conversation.endSession();
  });

  test('Stores and resumes the turns of a contributor without a login by the key (D9)', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const caller = keyHeaders(server.backend.keys, key);
    const first = await talk((await getTicket(server.url, caller, { interviewId: id })).signedUrl, { textOnly: true });
    await first.next('agent_response');
    await say(first, ANSWER);
    first.sever();
    await expect.poll(async () => (await stored(id)).turns).toEqual(said(first));
    const again = await getTicket(server.url, caller, { interviewId: id, resume: true });
    expect(again.transcript).toBe(formatTranscript(said(first)));
    const second = await talk(again.signedUrl, { textOnly: true });
    await second.next('agent_response');
    await say(second, ANSWER);
    await expect
      .poll(async () => (await stored(id)).transcript)
      .toBe(formatTranscript([...said(first), ...said(second)]));
    second.conversation.endSession();
  });

  test('Resumes a transcript of very many turns without keeping anybody waiting (threat 21)', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const transcript = formatTranscript([
      { speaker: 'agent', text: 'Ja?' },
      { speaker: 'user', text: 'Ja.' },
    ]);
    await asOwner(server.databaseUrl, (client) =>
      client.query(`update interviews set transcript = repeat($2 || E'\\n\\n', 10000) where id = $1`, [id, transcript]),
    );
    const ticket = await getTicket(server.url, keyHeaders(server.backend.keys, key), { interviewId: id, resume: true });
    expect(ticket.transcript?.slice(-transcript.length - 2).trim()).toBe(transcript);
  });

  test('Writes every turn to a row bound after the connection was cut', async () => {
    const call = await start();
    await say(call, ANSWER);
    call.sever();
    const id = await newInterview();
    const address = `${server.url}/v1/convai/conversations/${call.conversation.getConversationId()}/interview`;
    expect((await post(address, headers, { interviewId: id })).status).toBe(204);
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(call)));
  });

  test('Leaves a transcript edited meanwhile and continues the turn log (D16)', async () => {
    const id = await newInterview();
    const call = await start({ interviewId: id });
    await say(call, ANSWER);
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(call)));
    await server.backend.database.asCaller(login(admin), (tx) =>
      tx.query(`update interviews set transcript = 'Von Hand' where id = $1`, [id]),
    );
    await say(call, ANSWER);
    await expect.poll(async () => (await stored(id)).turns).toEqual(said(call));
    expect((await stored(id)).transcript).toBe('Von Hand');
    call.conversation.endSession();
  });

  test('Keeps an earlier transcript after a greeting alone', async () => {
    const id = await newInterview();
    await server.backend.database.asCaller(login(admin), (tx) =>
      tx.query(`update interviews set transcript = 'Das erste Mal' where id = $1`, [id]),
    );
    const call = await start({ interviewId: id });
    await expect.poll(async () => (await stored(id)).turns.length).toBe(1);
    expect((await stored(id)).transcript).toBe('Das erste Mal');
    call.conversation.endSession();
  });
});

describe('Drop and resume', () => {
  test('Welcomes back, asks the open question and appends to the transcript', async () => {
    const id = await newInterview();
    const first = await start({ interviewId: id });
    await say(first, ANSWER);
    first.sever();
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(first)));
    for (const resume of [true, false])
      expect((await getTicket(server.url, headers, { interviewId: id, resume })).transcript, `${resume}`).toBe(
        formatTranscript(said(first)),
      );
    const second = await start({ interviewId: id, resume: true });
    expect(lastQuestion(second.of)).toBe(
      `Willkommen zurück! Wir machen da weiter, wo wir aufgehört haben. ${BANKS['behind-scenes'].questions[1]?.text}`,
    );
    await say(second, 'Daran sind zwölf Leute aus drei Abteilungen beteiligt.');
    await expect
      .poll(async () => (await stored(id)).transcript)
      .toBe(formatTranscript([...said(first), ...said(second)]));
    second.conversation.endSession();
  });

  test("After 'Interview wiederholen' continues the new interview, not the one that it replaced", async () => {
    const { questions } = BANKS['behind-scenes'];
    const id = await newInterview();
    const replaced = await start({ interviewId: id });
    for (let asked = 0; asked < questions.length; asked += 1) await say(replaced, ANSWER);
    replaced.sever();
    const repeated = await start({ interviewId: id });
    await say(repeated, ANSWER);
    repeated.sever();
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(repeated)));
    const resumed = await start({ interviewId: id, resume: true });
    expect(lastQuestion(resumed.of)).toContain(questions[1]?.text);
    resumed.conversation.endSession();
  });

  test('Continues the transcript of the device where the row has no answer yet (§4)', async () => {
    const id = await newInterview();
    const transcript = `Interviewer: ${BANKS['behind-scenes'].questions[0]?.text}\n\nDu: ${ANSWER}`;
    const call = await start({ interviewId: id, resume: true, transcript });
    expect(lastQuestion(call.of)).toMatch(/^Willkommen zurück!/);
    expect(lastQuestion(call.of)).toContain(BANKS['behind-scenes'].questions[1]?.text);
    await say(call, 'Daran sind zwölf Leute beteiligt.');
    await expect.poll(async () => (await stored(id)).transcript).toBe(formatTranscript(said(call), transcript));
    call.conversation.endSession();
  });

  test('Takes the turns from the browser for a local id and touches no row', async () => {
    const before = await countTurns();
    const context = `Interviewer: ${BANKS['behind-scenes'].questions[0]?.text}\n\nDu: ${ANSWER}`;
    const call = await start({ resume: true, context });
    expect(lastQuestion(call.of)).toContain(BANKS['behind-scenes'].questions[1]?.text);
    await say(call, ANSWER);
    call.conversation.endSession();
    expect(await countTurns()).toBe(before);
  });

  test(`Stores every line the client received once, cut at ${CUTS} points`, async () => {
    for (let point = 0; point < CUTS; point++) {
      const id = await newInterview();
      const call = await start({ interviewId: id });
      const exchanges = point % 5;
      for (let turn = 0; turn < exchanges; turn++) await say(call, `${ANSWER} ${turn}`);
      if (point % 2 === 1) call.conversation.sendUserMessage('Der letzte Satz vor dem Schnitt, den keiner mehr hört.');
      call.sever();
      const received = said(call);
      await expect.poll(async () => (await stored(id)).turns.length).toBeGreaterThanOrEqual(received.length);
      const kept = await stored(id);
      expect(kept.turns.slice(0, received.length)).toEqual(received);
      expect(new Set(kept.places).size).toBe(kept.places.length);
    }
  });
});

async function countTurns(): Promise<number> {
  return server.backend.database.asOwner(async (tx) => {
    const counted = await tx.query('select count(*)::int as n from public.interview_turns');
    return counted.rows[0]?.['n'];
  });
}

/** The Node client has no call for it; the browser's has. */
function sendRaw(call: Talk, message: object): void {
  const { ws } = call.conversation as unknown as { ws: { send: (text: string) => void } };
  ws.send(JSON.stringify(message));
}
