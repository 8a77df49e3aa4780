import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ENV_NAMES, readEnv } from './env.ts';

test('Uses the defaults without any variable', () => {
  expect(readEnv({})).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    TRANSCRIPTION_MODEL: 'whisper-1',
    OPEN_CONTRIBUTIONS: true,
  });
});

test('The README has a row for each variable, and none for another', () => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('| Variable | Default | Meaning |');
  const [table = ''] = section.split('\n\n');
  const firstCells = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
  const described = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  expect(described.toSorted(), "README.md, 'Configuration'").toEqual(ENV_NAMES.toSorted());
});

test('an empty value counts as unset', () => {
  expect(readEnv({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000 });
  expect(readEnv({ PORT: ' ', DATA_DIR: '  ', DATABASE_URL: '\t' })).toEqual(readEnv({}));
});

test.each([
  ['PORT', 'achtzig'],
  ['PORT', '70000'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['SUPABASE_DIR', '/nowhere/supabase'],
  ['DATABASE_URL', 'postgres://owner:secret@localhost:99999/x'],
  ['DATABASE_URL', 'postgres://owner:secret@localhost:5432'],
  ['DATABASE_URL', 'postgres://owner:secret@localhost:5432/?sslmode=require'],
  ['TRANSCRIPTION_URL', 'ftp://example.test'],
  ['SMTP_URL', 'smtp:mail.haus.test'],
  ['SUPABASE_URL', 'https://project.test/rest/v1/'],
  ['BRAND_IMPRINT_URL', 'www.haus.test/impressum'],
  ['BRAND_PRIVACY_URL', 'datenschutz.html'],
  ['VOICE_ORIGINS', 'haus.test'],
  ['OPEN_CONTRIBUTIONS', 'vielleicht'],
  ['LOG_LEVEL', 'laut'],
  ['TRUST_PROXY', 'proxy.beispiel.test'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['LIMIT_IMAGE_BYTES', '-1'],
  ['CONSENT_TEXT', 'gibt-es-nicht.txt'],
  ['CONSENT_TEXT', 'src'],
  ['WORKERS', '0'],
  ['WORKERS', '-1'],
  ['WORKERS', '2'],
  ['WORKERS', 'many'],
])('a bad value of %s stops the start and is named', (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(new RegExp(`  ${name}[.:]`));
});

test.each([
  ['false', false],
  ['0', false],
  ['true', 1],
  ['2', 2],
  ['loopback, 10.0.0.0/8,::1', ['loopback', '10.0.0.0/8', '::1']],
])('TRUST_PROXY=%s: which addresses a proxy has written', (text, believed) => {
  expect(readEnv({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(believed);
});

test('DESK_MAIL_TO: addresses, comma-separated', () => {
  expect(readEnv({}).DESK_MAIL_TO).toEqual([]);
  expect(readEnv({ DESK_MAIL_TO: 'team@haus.test, chefin@haus.test' }).DESK_MAIL_TO).toEqual([
    'team@haus.test',
    'chefin@haus.test',
  ]);
  expect(() => readEnv({ DESK_MAIL_TO: 'team@haus.test,Chefin' })).toThrow(/ {2}DESK_MAIL_TO/);
});

test('DESK_MAIL_TO and SECURITY_CONTACT: a host with umlauts, as the forms and the mail server take it', () => {
  const { DESK_MAIL_TO, SECURITY_CONTACT } = readEnv({
    DESK_MAIL_TO: 'team@bücher.test,chefin@haus.test',
    SECURITY_CONTACT: 'sicher@bücher.test',
  });
  expect(DESK_MAIL_TO).toEqual(['team@xn--bcher-kva.test', 'chefin@haus.test']);
  expect(SECURITY_CONTACT).toBe('mailto:sicher@xn--bcher-kva.test');
  for (const bad of ['<team@haus.test>', 'Team <team@haus.test>', 'a@haus.test;b@haus.test'])
    expect(() => readEnv({ DESK_MAIL_TO: bad })).toThrow(/ {2}DESK_MAIL_TO/);
});

test('a value in quotes, as `docker run --env-file` leaves them, is named and never a folder', () => {
  for (const [name, value] of [
    ['DATA_DIR', '"/srv/beitrag"'],
    ['DATA_DIR', "'/srv/beitrag'"],
    ['BRAND_ASSOCIATION', '"Verband"'],
    ['MAIL_FROM', '"post@haus.test"'],
  ] as const)
    expect(() => readEnv({ [name]: value })).toThrow(`  ${name}: steht in Anführungszeichen`);
  expect(readEnv({ MAIL_FROM: '"Haus, GmbH" <post@haus.test>' }).MAIL_FROM).toContain('post@haus.test');
  expect(readEnv({ PS1: '"x"' })).toEqual(readEnv({}));
});

test('DATA_DIR with an unexpanded ~ or spaces around it is refused; other values are trimmed', () => {
  for (const bad of ['~/beitrag', '$HOME/beitrag', '/srv/beitrag ', ' /srv/beitrag', '/srv/beitrag\r'])
    expect(() => readEnv({ DATA_DIR: bad })).toThrow('  DATA_DIR: beginnt mit ~ oder $');
  const keys = { S3_BUCKET: 'media\r', S3_ACCESS_KEY_ID: 'a\n', S3_SECRET_ACCESS_KEY: ' b ' };
  expect(readEnv(keys)).toMatchObject({ S3_BUCKET: 'media', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' });
});

test('S3_BUCKET is a name, no address of one', () => {
  for (const bad of ['s3://media', 'media/beitrag', 'https://s3.test/media'])
    expect(() => readEnv({ S3_BUCKET: bad })).toThrow('  S3_BUCKET: ist kein Name eines Buckets');
});

test('SUPABASE_KEY is no secret key, which every browser would read, and SUPABASE_SERVICE_KEY no public one', () => {
  const token = (role: string): string => `e30.${Buffer.from(`{"iss":"x","role":"${role}"}`).toString('base64url')}.x`;
  const hosted = { SUPABASE_URL: 'https://project.test' };
  for (const SUPABASE_KEY of ['sb_secret_abc', token('service_role')])
    expect(() => readEnv({ ...hosted, SUPABASE_KEY })).toThrow(/ {2}SUPABASE_KEY: ist der geheime/);
  for (const SUPABASE_SERVICE_KEY of ['sb_publishable_abc', token('anon')])
    expect(() => readEnv({ SUPABASE_SERVICE_KEY })).toThrow(/ {2}SUPABASE_SERVICE_KEY: ist der öffentliche/);
  const keys = { SUPABASE_KEY: token('anon'), SUPABASE_SERVICE_KEY: token('service_role') };
  expect(readEnv({ ...hosted, ...keys })).toMatchObject(keys);
});

test('an address whose password holds signs of addresses says how they are written', () => {
  for (const name of ['SMTP_URL', 'DATABASE_URL', 'SUPABASE_DB_URL'])
    expect(() => readEnv({ [name]: 'smtp://mira:ge#heim@haus.test/x' })).toThrow(/# als %23/);
});

test('every bad value is named at once', () => {
  expect(() => readEnv({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT[\s\S]*LOG_LEVEL/);
});

test.each([
  [{ S3_BUCKET: 'media' }, 'S3_ACCESS_KEY_ID'],
  [{ S3_BUCKET: 'media', S3_ACCESS_KEY_ID: 'a' }, 'S3_SECRET_ACCESS_KEY'],
  [{ S3_ENDPOINT: 'https://s3.test' }, 'S3_BUCKET'],
  [{ S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }, 'S3_BUCKET'],
  [{ SUPABASE_URL: 'https://project.test' }, 'SUPABASE_KEY'],
])('%o lacks %s', (given, missing) => {
  expect(() => readEnv(given)).toThrow(missing);
});

test('PUBLIC_URL names a host of its own: the pages ask for their files at its root', () => {
  for (const bad of ['https://firma.test/beitrag', 'https://firma.test/?a=1', 'https://mira:geheim@firma.test'])
    expect(() => readEnv({ PUBLIC_URL: bad })).toThrow(/ {2}PUBLIC_URL: nennt einen Pfad/);
});

test('addresses are as browsers name their origin, by which passkeys and interviews are let in', () => {
  for (const [given, origin] of [
    ['HTTPS://Beitraege.TEST', 'https://beitraege.test'],
    ['https://beitraege.test:443', 'https://beitraege.test'],
    ['https://beiträge.test/', 'https://xn--beitrge-9wa.test'],
  ])
    expect(readEnv({ PUBLIC_URL: given, VOICE_ORIGINS: given })).toMatchObject({
      PUBLIC_URL: origin,
      VOICE_ORIGINS: [origin],
    });
});

test('addresses lose their last slash', () => {
  expect(readEnv({ PUBLIC_URL: 'https://beitraege.test/' }).PUBLIC_URL).toBe('https://beitraege.test');
});

test('CONSENT_TEXT: the text of a file and its digest, and neither nothing nor bytes that are no text', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'consent-'));
  const file = path.join(folder, 'einwilligung.txt');
  const read = (content: string | Buffer) => {
    writeFileSync(file, content);
    return readEnv({ CONSENT_TEXT: file }).CONSENT_TEXT;
  };
  expect(read('\uFEFFIch stimme zu.\n')).toEqual({
    text: 'Ich stimme zu.',
    version: createHash('sha256').update('Ich stimme zu.').digest('hex'),
  });
  for (const bad of [' \n', 'a'.repeat(20_001), Buffer.of(0xff, 0xfe, 0x41)])
    expect(() => read(bad)).toThrow(/ {2}CONSENT_TEXT: /);
  rmSync(folder, { recursive: true });
});
