import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '#server/start.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, createAccounts, login, newKey, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { getTicket, keyHeaders, loginHeaders, talk } from '#tests/support/voice-client.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';

/**
 * Architecture, line 6: interviews on a server whose data lies in a hosted project, touched with the caller's own
 * token.
 */
let project: TestServer;
let server: RunningServer;
let admin: Account;
let other: Account;
let headers: Record<string, string>;
beforeAll(async () => {
  project = await bootServer();
  server = await bootHosted(project);
  const accounts = await createAccounts(project.databaseUrl);
  admin = accounts.admin;
  other = accounts.vdi_admin;
  headers = await loginHeaders(project.backend.keys, admin);
});
afterAll(async () => {
  await server.stop();
  await project.stop();
});

test('Writes turns, transcript, W-answers and likes to the project once', async () => {
  const interviewId = await createInterview(project.backend.database, login(admin));
  const ticket = await getTicket(server.url, headers, { interviewId, topic: 'media-description' });
  const call = await talk(ticket.signedUrl, { textOnly: true });
  await call.next('agent_response');
  call.conversation.sendUserMessage('Ein Kran am Hafen');
  await call.next('agent_response', 2);
  call.conversation.sendUserMessage('Das Team Süd');
  await call.next('agent_response', 3);
  await expect
    .poll(async () => await storedInterview(project.backend.database, interviewId))
    .toMatchObject({ answers: { what: 'Ein Kran am Hafen', who: 'Das Team Süd' }, turns: { length: 5 } });
  const stored = await storedInterview(project.backend.database, interviewId);
  expect(new Set(stored.places).size).toBe(5);
  await expect
    .poll(async () => (await storedInterview(project.backend.database, interviewId)).transcript)
    .toMatch(/Du: Das Team Süd\n\nInterviewer: .*$/);
  call.conversation.endSession();

  const resumed = await getTicket(server.url, headers, { interviewId, topic: 'media-description', resume: true });
  const second = await talk(resumed.signedUrl, { textOnly: true });
  const greeting = await second.next('agent_response');
  expect(greeting.agent_response_event.agent_response).toMatch(
    /^Willkommen zurück! .*Wann ist die Aufnahme entstanden\?$/,
  );
  second.conversation.endSession();
});

test('Refuses a ticket to callers who may not write the interview', async () => {
  const key = newKey();
  const interviewId = await createInterview(project.backend.database, anon(key));
  const foreign = await createInterview(project.backend.database, login(other));
  await expect(getTicket(server.url, headers, { interviewId: foreign })).rejects.toThrow('404');
  await expect(getTicket(server.url, keyHeaders(project.backend.keys, newKey()), { interviewId })).rejects.toThrow(
    '404',
  );
  await expect(getTicket(server.url, headers, { interviewId })).rejects.toThrow('404');
  const bound = await getTicket(server.url, { ...headers, ...keyHeaders(project.backend.keys, key) }, { interviewId });
  expect(bound.engine).toBe('browser');
  const byKey = await getTicket(server.url, keyHeaders(project.backend.keys, key), { interviewId });
  const call = await talk(byKey.signedUrl, { textOnly: true });
  await call.next('agent_response');
  await expect.poll(async () => (await storedInterview(project.backend.database, interviewId)).turns.length).toBe(1);
  call.conversation.endSession();
});
