import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppConfigSchema } from '#contract/app-config.ts';
import { DeskContributionSchema } from '#contract/desk.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';

const TEXT = 'Ich stimme zu, dass der Ingenieurverband\nmeinen Beitrag veröffentlicht.';
const CONTACT = {
  contact_first_name: 'Ada',
  contact_last_name: 'Lovelace',
  contact_email: 'ada@beispiel.test',
  completed_at: '2026-11-20T10:00:00Z',
};

/** An installation that asks for consent (decision 0267). */
let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'consent-'));
  await writeFile(path.join(folder, 'einwilligung.txt'), `${TEXT}\n\n`);
  server = await bootServer({ CONSENT_TEXT: path.join(folder, 'einwilligung.txt') });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const readConfig = async () => AppConfigSchema.parse(await (await fetch(`${server.url}/config.json`)).json());

test('The exact text and its version go to the browser, and a contribution is complete with them only (0267)', async () => {
  const { consent } = await readConfig();
  expect(consent?.text).toBe(TEXT);
  const { client } = await createUser(server, { role: 'firma_a' });
  const { data } = await client.from('interviews').insert({ transcript: 'Die Pumpe.' }).select('id').single();
  const id = Number(data?.['id']);
  const complete = () => client.from('interviews').update(CONTACT).eq('id', id).select('id');
  expect(await complete()).toMatchObject({ status: 422, error: { message: 'consent is needed' } });
  const accepted = await client.rpc('accept_consent', { contribution: id, version: consent?.version });
  expect(accepted).toMatchObject({ error: null, data: true });
  expect(await complete()).toMatchObject({ error: null, data: [{ id }] });

  const admin = await createUser(server, { role: 'admin' });
  const shown = DeskContributionSchema.parse((await admin.client.rpc('desk_contribution', { id })).data);
  expect(shown.consents).toMatchObject([{ version: consent?.version, text: TEXT }]);
  const dossier = await admin.client.rpc('desk_dossier', { contribution: id });
  expect(dossier.data).toMatchObject({ consents: [{ version: consent?.version, text: TEXT }] });

  await admin.client.rpc('desk_contribution', { id });
  await asOwner(server.databaseUrl, (owner) => owner.query('delete from interviews where id = $1', [id]));
  const left = await asOwner(server.databaseUrl, (owner) => owner.query('select from private.consents'));
  expect(left.rowCount).toBe(0);
});
