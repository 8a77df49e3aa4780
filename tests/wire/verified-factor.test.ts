import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { getToken } from '#tests/support/desk-calls.ts';
import { getCode } from '#tests/support/second-factors.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import { post, REQUEST } from '#tests/support/voice-client.ts';

let server: TestServer;
beforeAll(async () => void (server = await bootServer()));
afterAll(() => server.stop());

const clock = { now: Date.now };

async function setUpApp({ client }: TestUser): Promise<string> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
  if (error !== null) throw error;
  const code = getCode(clock, data.totp.secret);
  const shown = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code });
  if (shown.error !== null) throw shown.error;
  return data.id;
}

async function enterByPassword({ email, password }: TestUser): Promise<SupabaseClient> {
  const client = server.client();
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  return client;
}

const transcripts = async (client: SupabaseClient): Promise<unknown> =>
  (await client.from('interviews').select('transcript')).data;
const statistics = async (client: SupabaseClient): Promise<unknown> =>
  (await client.rpc('admin_statistics')).error?.code;
const missing = async (client: SupabaseClient): Promise<unknown> => (await client.rpc('second_factor_missing')).data;

/** What the speech and the voice agent answer to a session. */
async function voiceAnswers(url: string, client: SupabaseClient): Promise<readonly number[]> {
  const { session } = (await client.auth.getSession()).data;
  const headers = { apikey: server.backend.keys.publishableKey, authorization: `Bearer ${session?.access_token}` };
  const form = recordingForm(await fixture('sprache.wav'));
  const answers = [
    await postRecording(url, form, headers),
    await post(`${url}/v1/convai/ticket`, headers, { ...REQUEST, area: 'firma-a' }),
  ];
  await Promise.all(answers.map((answer) => answer.text()));
  return answers.map(({ status }) => status);
}

describe('A verified second factor counts for every role (decision 0141, ASVS 6.3.3)', () => {
  test('A password alone opens nothing of an administrator with an app, except the way to the factor', async () => {
    const admin = await createUser(server, { role: 'admin' });
    expect(await statistics(admin.client)).toBeUndefined();
    await setUpApp(admin);
    const again = await enterByPassword(admin);
    expect([await statistics(again), await transcripts(again), await missing(again)]).toEqual(['42501', [], true]);
    expect((await again.rpc('desk_inbox', { query: {} })).error?.code).toBe('42501');
    const answer = await fetch(`${server.url}/v1/accounts`, {
      headers: { authorization: `Bearer ${(await again.auth.getSession()).data.session?.access_token}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'second_factor_needed' } }]);
    expect((await again.from('user_roles').select('role')).data).toEqual([{ role: 'admin' }]);
    expect((await again.auth.mfa.listFactors()).data?.totp).toHaveLength(1);
    expect((await again.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
  });

  test('A member with an app sees its contributions only in a session that has shown it', async () => {
    const member = await createUser(server, { role: 'firma_a' });
    await member.client.from('interviews').insert({ transcript: 'mein' });
    await setUpApp(member);
    expect(await transcripts(member.client)).toEqual([{ transcript: 'mein' }]);
    const again = await enterByPassword(member);
    expect(await transcripts(again)).toEqual([]);
    expect((await again.from('interviews').insert({ transcript: 'x' })).error?.code).toBe('PT401');
  });

  test('A token from before the factor was shown stays without rights when its session rises', async () => {
    const admin = await createUser(server, { role: 'admin' });
    const before = server.client({ headers: { authorization: `Bearer ${await getToken(admin)}` } });
    await setUpApp(admin);
    expect([await statistics(admin.client), await statistics(before)]).toEqual([undefined, '42501']);
  });

  test('A begun set-up that was never shown asks for nothing', async () => {
    const admin = await createUser(server, { role: 'admin' });
    await admin.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
    expect([await statistics(admin.client), await missing(admin.client)]).toEqual([undefined, false]);
  });

  test.each(['embedded', 'hosted'])(
    'A member with an app transcribes and talks only in a session that has shown it (%s backend)',
    async (backend) => {
      const asked = backend === 'hosted' ? await bootHosted(server) : server;
      try {
        const member = await createUser(server, { role: 'firma_a' });
        // Without a transcription service 503 is the answer to a caller who may.
        const admitted = await voiceAnswers(asked.url, member.client);
        await setUpApp(member);
        const shown = await voiceAnswers(asked.url, member.client);
        const refused = await voiceAnswers(asked.url, await enterByPassword(member));
        expect([admitted, shown, refused]).toEqual([
          [503, 200],
          [503, 200],
          [401, 403],
        ]);
      } finally {
        if (asked !== server) await asked.stop();
      }
    },
  );
});
