import { bootServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { startHostedService, UPSTREAM_METADATA, type HostedService } from '#tests/support/voice-hosted.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';
import { installClock } from './application.ts';
import { expectReleasedBy } from './endings.ts';
import { expect, openInterview, said, test as base, write } from './interview.ts';

/** Engine (a) with the browser's official client: our relay, and behind it a loopback 'hosted service'. */
const test = base.extend<{ hosted: HostedService }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  hosted: async ({}, provide) => {
    const service = await startHostedService();
    await provide(service);
    await service.stop();
  },
  server: async ({ hosted }, provide) => {
    const server = await bootServer({
      VOICE_AGENT_URL: hosted.url,
      VOICE_AGENT_KEY: 'geheimer-schluessel',
      VOICE_AGENT_IDS: '{"*":"agent_x"}',
    });
    await provide(server);
    await server.stop();
  },
});

const agentSays = (text: string, id: number): object => ({
  type: 'agent_response',
  agent_response_event: { agent_response: text, event_id: id },
});
const userSaid = (text: string, id: number): object => ({
  type: 'user_transcript',
  user_transcription_event: { user_transcript: text, event_id: id },
});
const QUARTER_SECOND = Buffer.alloc(8_000, 40).toString('base64');
const audio = (id: number): object => ({ type: 'audio', audio_event: { audio_base_64: QUARTER_SECOND, event_id: id } });

test('Hosted: it hears and is heard, tools and feedback pass, the service ends it (§7)', async ({
  page,
  server,
  hosted,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await openInterview(page);
  const upstream = hosted.connected();
  await page.getByRole('button', { name: 'Interview starten' }).click();
  const socket = await upstream;
  hosted.say(UPSTREAM_METADATA);
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
  for (let chunk = 0; chunk < 40; chunk += 1) hosted.say(audio(1));
  hosted.say(agentSays('Was baut ihr, und wo genau?', 1));
  await expect(page.getByText('Der Interviewer spricht')).toBeVisible();
  await expect.poll(() => hosted.received.filter((message) => 'user_audio_chunk' in message).length).toBeGreaterThan(3);
  hosted.say({ type: 'interruption', interruption_event: { event_id: 1 } });
  hosted.say({
    type: 'agent_response_correction',
    agent_response_correction_event: {
      original_agent_response: 'Was baut ihr, und wo genau?',
      corrected_agent_response: 'Was baut ihr …',
      event_id: 1,
    },
  });
  await expect(page.getByText('Der Interviewer hört dir zu')).toBeVisible();
  await expect(said(page).first()).toContainText('Was baut ihr …');
  hosted.say(userSaid('Eine Halle.', 2));
  hosted.say({
    type: 'client_tool_call',
    client_tool_call: {
      tool_name: 'set_w_answer',
      tool_call_id: 'call_1',
      parameters: { question: 'what', answer: 'Eine Halle' },
      event_id: 2,
    },
  });
  hosted.say(agentSays('Wie groß wird sie?', 3));
  await expect(said(page)).toHaveCount(3);
  await page.getByRole('button', { name: 'Unpassende Frage' }).last().click();
  const arrived = (type: string): unknown => hosted.received.find((message) => message['type'] === type);
  await expect.poll(() => arrived('client_tool_result')).toMatchObject({ tool_call_id: 'call_1', is_error: false });
  await expect.poll(() => arrived('feedback')).toMatchObject({ score: 'dislike', event_id: 3 });
  await write(page, 'Vierzig Meter lang.');
  socket.close(1000);
  await expect(page.getByRole('button', { name: 'Interview wiederholen' })).toBeVisible();
  await expectReleasedBy(page, 'close 1000');
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();

  const id = await getInterview(server.databaseUrl, user.id);
  await expect
    .poll(() => storedInterview(server.backend.database, id))
    .toMatchObject({
      transcript:
        'Interviewer: Was baut ihr …\n\nDu: Eine Halle.\n\nInterviewer: Wie groß wird sie?\n\nDu: Vierzig Meter lang.',
      answers: { what: 'Eine Halle' },
      feedback: ['3: dislike'],
      turns: { length: 4 },
    });
});

test('A hosted service that fails: the German error each time, and the next try works (§4)', async ({
  page,
  hosted,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await installClock(page);
  await openInterview(page);
  const failed = async (button: string, reason: RegExp): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Verbindungsfehler. Bitte versuchen Sie es erneut.' });
    await expect(notice.filter({ hasText: reason })).toBeVisible();
  };
  hosted.behaviour.signed = 401;
  await failed('Interview starten', /Der Interviewer ist gerade nicht erreichbar/);
  await expectReleasedBy(page, 'close 1011');
  hosted.behaviour.signed = 429;
  await failed('Erneut versuchen', /Gerade laufen sehr viele Interviews/);
  await expectReleasedBy(page, 'close 1013');
  hosted.behaviour.signed = 200;
  hosted.behaviour.socket = 'refuses';
  await failed('Erneut versuchen', /Der Interviewer ist gerade nicht erreichbar/);
  hosted.behaviour.socket = 'silent';
  const asked = hosted.received.length;
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await expect.poll(() => hosted.received.length).toBeGreaterThan(asked);
  await page.clock.fastForward(15_100);
  await expect(page.getByText(/Der Verbindungsaufbau hat zu lange gedauert/)).toBeVisible();
  await expectReleasedBy(page, 'time-out');

  hosted.behaviour.socket = 'works';
  const first = hosted.connected();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  const dying = await first;
  hosted.say(UPSTREAM_METADATA);
  hosted.say(agentSays('Was baut ihr?', 1));
  hosted.say(userSaid('Eine Halle.', 2));
  await expect(said(page)).toHaveCount(2);
  dying.terminate();
  await expect(page.getByText(/Der Interviewer ist gerade nicht erreichbar/)).toBeVisible();
  const second = hosted.connected();
  await page.getByRole('button', { name: 'Interview fortsetzen' }).click();
  await second;
  hosted.say(UPSTREAM_METADATA);
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
  expect(hosted.received.findLast((message) => 'dynamic_variables' in message)).toMatchObject({
    dynamic_variables: { earlier_transcript: 'Interviewer: Was baut ihr?\n\nDu: Eine Halle.' },
  });
  await expect(page.locator('body')).not.toContainText(/GEHEIM|geheim/);
});

async function getInterview(databaseUrl: string, userId: string): Promise<number> {
  return asOwner(databaseUrl, async (client) => {
    const found = await client.query('select id from public.interviews where user_id = $1', [userId]);
    return Number(found.rows[0]?.['id']);
  });
}
