import { createHash } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePath, filePath } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { makeContent } from '#tests/support/factories.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { backdateFiles, deskApi, FILES_DAY, handIn, type HandedFile } from '#tests/support/desk-calls.ts';
import { bytes, PNG } from '#tests/support/storage.ts';
import { isDeflated, unzip } from '#tests/support/unzip.ts';

let server: TestServer;
let admin: TestUser;
let member: TestUser;

beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  member = await createUser(server, { role: 'firma_a' });
});
afterAll(() => server.stop());

const picture: HandedFile = { type: 'image/png', extension: 'png', bytes: PNG };
const notes: HandedFile = {
  type: 'text/plain',
  extension: 'txt',
  bytes: Buffer.from('Größe, <b>fett</b>\n'.repeat(500)),
};
const video = (): HandedFile => ({ type: 'video/x-any', extension: 'bin', bytes: makeContent(300_000) });

async function downloadArchive(id: number, url = server.url) {
  const answer = await (await deskApi(url, admin))('GET', archivePath(id));
  expect(answer.status).toBe(200);
  return { answer, files: await unzip(answer.bytes) };
}

/** Where the disk store keeps the bytes of an object. */
async function storedPlace(name: string): Promise<string> {
  const [row] = await asOwner(server.databaseUrl, async (client) => {
    return (await client.query<{ version: string }>('select version from storage.objects where name = $1', [name]))
      .rows;
  });
  const version = row?.version ?? '';
  return path.join(server.dataDir, 'files', 'objects', version.slice(0, 2), version);
}

test('Desk: packs every file, the data and the transcript of a contribution', async () => {
  const transcript = 'Interviewer: Wer?\n\nDu: Jörg & <Ölpumpe> =1+1';
  const { id, files } = await handIn(member, {
    transcript,
    name: 'Jörg',
    turns: 450,
    files: [picture, notes, video()],
  });
  await backdateFiles(server.databaseUrl, id);
  const { answer, files: packed } = await downloadArchive(id);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toContain(`beitrag-${id}.zip`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  expect([...packed.keys()]).toEqual([
    'beitrag.json',
    'transkript.txt',
    `01_Bild_${FILES_DAY}.png`,
    `02_Text_${FILES_DAY}.txt`,
    `03_Video_${FILES_DAY}.bin`,
    'pruefsummen.txt',
  ]);
  expect([...packed.values()].every(({ utf8 }) => utf8)).toBe(true);
  expect(packed.get(`01_Bild_${FILES_DAY}.png`)?.bytes).toEqual(files[0]?.bytes);
  expect(packed.get(`02_Text_${FILES_DAY}.txt`)?.bytes).toEqual(files[1]?.bytes);
  expect(packed.get(`03_Video_${FILES_DAY}.bin`)?.bytes).toEqual(files[2]?.bytes);
  expect(packed.get('transkript.txt')?.bytes.toString()).toBe(transcript);
  expect(isDeflated(packed.get(`02_Text_${FILES_DAY}.txt`)?.method)).toBe(true);
  expect(isDeflated(packed.get(`03_Video_${FILES_DAY}.bin`)?.method)).toBe(false);

  const report: unknown = JSON.parse(packed.get('beitrag.json')?.bytes.toString() ?? '');
  expect(report).toMatchObject({
    interview: { id, transcript, contact_first_name: 'Jörg', contact_email: member.email, user_email: member.email },
    desk: { state: 'new' },
    events: [],
    feedback: [{ event_id: 1, score: 'like' }],
    files: [
      { id: files[0]?.id, path: files[0]?.path, type: 'image/png', name: `01_Bild_${FILES_DAY}.png` },
      { path: files[1]?.path },
      { path: files[2]?.path },
    ],
  });
  const { turns } = report as { turns: { position: number }[] };
  expect(turns.map(({ position }) => position)).toEqual(Array.from({ length: 450 }, (_, at) => at));

  const sums = packed.get('pruefsummen.txt')?.bytes.toString().trimEnd().split('\n') ?? [];
  const computed = [...packed]
    .filter(([name]) => name !== 'pruefsummen.txt')
    .map(([name, { bytes: content }]) => {
      return `${createHash('sha256').update(content).digest('hex')}  ${name}`;
    });
  expect(sums).toEqual(computed);
});

test.each([undefined, ' \n'])('Desk: packs a contribution without files (%j)', async (transcript) => {
  const { id } = await handIn(member, { turns: 1, ...(transcript !== undefined && { transcript }) });
  const { files } = await downloadArchive(id);
  expect([...files.keys()]).toEqual(['beitrag.json', 'transkript.txt', 'pruefsummen.txt']);
  expect(files.get('transkript.txt')?.bytes.toString()).toContain('kein Transkript');
  expect(JSON.parse(files.get('beitrag.json')?.bytes.toString() ?? '')).toMatchObject({ files: [] });
});

test('Desk: lists missing, short and damaged files and packs all others', async () => {
  const { id, files } = await handIn(member, { files: [video(), video(), video(), picture, notes] });
  const [gone, short, damaged] = files.map(({ path: name }) => name);
  await rm(await storedPlace(gone ?? ''));
  await truncate(await storedPlace(short ?? ''), 100_000);
  await writeFile(await storedPlace(damaged ?? ''), bytes(300_000, 7));
  await asOwner(server.databaseUrl, (client) =>
    client.query(`insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, 'image/png')`, [
      id,
      `${id}/never-stored.png`,
    ]),
  );
  await backdateFiles(server.databaseUrl, id);
  const { files: packed } = await downloadArchive(id);
  // prettier-ignore
  expect([...packed.keys()]).toEqual([
    'beitrag.json', 'transkript.txt',
    `02_Video_${FILES_DAY}.bin`, `03_Video_${FILES_DAY}.bin`, `04_Bild_${FILES_DAY}.png`, `05_Text_${FILES_DAY}.txt`,
    'fehlend.txt', 'pruefsummen.txt',
  ]);
  expect(packed.get(`02_Video_${FILES_DAY}.bin`)?.bytes).toEqual(files[1]?.bytes.subarray(0, 100_000));
  expect(packed.get(`04_Bild_${FILES_DAY}.png`)?.bytes).toEqual(PNG);
  const words = packed.get('fehlend.txt')?.bytes.toString() ?? '';
  expect(words).toContain(`01_Video_${FILES_DAY}.bin: fehlt`);
  expect(words).toContain(`02_Video_${FILES_DAY}.bin: unvollständig`);
  expect(words).toContain(`03_Video_${FILES_DAY}.bin: beschädigt`);
  expect(words).toContain('06_never-stored.png: fehlt');
  expect(words.split('\n').filter((line) => line.includes(': '))).toHaveLength(4);
});

test('Desk: issues no ticket for a missing or short file', async () => {
  const { id, files } = await handIn(member, { files: [video(), video(), picture, notes] });
  await rm(await storedPlace(files[0]?.path ?? ''));
  await truncate(await storedPlace(files[1]?.path ?? ''), 100_000);
  const call = await deskApi(server.url, admin);
  const ticketFor = (place: string) => call('POST', '/v1/desk/tickets', { path: place });
  const ofFile = (at: number) => ticketFor(filePath(id, files[at]?.id ?? 0));
  expect(await ofFile(0)).toMatchObject({ status: 410, code: 'file_missing' });
  expect(await ofFile(1)).toMatchObject({ status: 410, code: 'file_damaged' });
  expect([(await ofFile(2)).status, (await ofFile(3)).status]).toEqual([200, 200]);
  expect(await ticketFor(filePath(id, 999_999_999))).toMatchObject({ status: 404, code: 'file_not_found' });
  expect(await ticketFor(archivePath(999_999_999))).toMatchObject({ status: 404, code: 'contribution_not_found' });
  expect((await ticketFor(archivePath(id))).status).toBe(200);
});

test('Desk: finds damage before a ticket and during a download, and passes ranges', async () => {
  const { id, files } = await handIn(member, { files: [video(), video()] });
  const [damaged, later] = files.map(({ id: file }) => filePath(id, file));
  const call = await deskApi(server.url, admin);
  const damage = async (at: number): Promise<void> => {
    const content = Buffer.from(files[at]?.bytes ?? []);
    content.fill(0, 150_000, 150_100);
    await writeFile(await storedPlace(files[at]?.path ?? ''), content);
  };
  const link = await call('POST', '/v1/desk/tickets', { path: later });
  const { url } = link.body as { url: string };
  await damage(0);
  await damage(1);
  expect(await call('POST', '/v1/desk/tickets', { path: damaged })).toMatchObject({
    status: 410,
    code: 'file_damaged',
  });
  for (const path of [damaged ?? '', url]) await expect(call('GET', path)).rejects.toThrow();
  const start = await call('GET', damaged ?? '', undefined, { range: 'bytes=0-99999' });
  expect([start.status, start.bytes]).toEqual([206, files[0]?.bytes.subarray(0, 100_000)]);
  const rest = await call('GET', damaged ?? '', undefined, { range: 'bytes=200000-' });
  expect([rest.status, rest.bytes]).toEqual([206, files[0]?.bytes.subarray(200_000)]);
});

test('Desk: keeps HTML and formulas as text', async () => {
  const name = '=HYPERLINK("https://boese.example","Klick")';
  const transcript = '<script>alert(1)</script>\n+1+cmd|\u2019 /C calc\u2019!A0 \u202Egnp.exe "}],"x":1';
  const { id } = await handIn(member, { name, transcript });
  const { files } = await downloadArchive(id);
  expect([...files.keys()]).toEqual(['beitrag.json', 'transkript.txt', 'pruefsummen.txt']);
  const report: unknown = JSON.parse(files.get('beitrag.json')?.bytes.toString() ?? '');
  expect(report).toMatchObject({ interview: { contact_first_name: name, transcript } });
  expect(files.get('transkript.txt')?.bytes.toString()).toBe(transcript);
});

test('Desk: turns hostile file names into plain ones and packs unregistered files', async () => {
  const { id } = await handIn(member, {});
  const names = ['Prüfstand Größe.pdf', '..', '=cmd().csv', 'a/../../b.txt', 'C:con.txt'];
  await asOwner(server.databaseUrl, async (client) => {
    for (const name of names) {
      await client.query(`insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, '')`, [
        id,
        `${id}/${name}`,
      ]);
    }
  });
  const service = server.service().storage.from('Media');
  expect(
    (await service.upload(`${id}/only & stored (1).txt`, Buffer.from('x'), { contentType: 'text/plain' })).error,
  ).toBeNull();
  expect((await service.upload(`${id}/=cmd().csv`, Buffer.from('y'), { contentType: 'text/plain' })).error).toBeNull();
  const { files } = await downloadArchive(id);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['03_=cmd().csv', '06_only & stored (1).txt', 'fehlend.txt']),
  );
  expect(files.get('03_=cmd().csv')?.bytes.toString()).toBe('y');
  const missing = files.get('fehlend.txt')?.bytes.toString() ?? '';
  expect(missing).toContain('01_Prüfstand Größe.pdf');
  expect(missing).toContain('04_b.txt');
  expect(missing).toContain('05_C con.txt');
});

test('Desk: packs an archive on a hosted project without a service key', async () => {
  const { id, files } = await handIn(member, { files: [picture, video()] });
  await backdateFiles(server.databaseUrl, id);
  const application = await bootHosted(server);
  try {
    const { files: packed } = await downloadArchive(id, application.url);
    expect(packed.get(`02_Video_${FILES_DAY}.bin`)?.bytes).toEqual(files[1]?.bytes);
    expect(packed.has('fehlend.txt')).toBe(false);
  } finally {
    await application.stop();
  }
});

test('Desk: refuses an unknown contribution and logs each archive', async () => {
  const call = await deskApi(server.url, admin);
  expect(await call('GET', archivePath(999_999_999))).toMatchObject({ status: 404, code: 'contribution_not_found' });
  expect(await call('GET', '/v1/desk/contributions/x/archive')).toMatchObject({ status: 400, code: 'invalid_request' });
  const { id } = await handIn(member, { files: [picture] });
  await downloadArchive(id);
  const { data } = await admin.client
    .from('desk_audit_log')
    .select('by, what, detail')
    .eq('interview_id', id)
    .order('id');
  expect(data).toEqual([
    { by: admin.id, what: 'dossier', detail: {} },
    { by: admin.id, what: 'archive', detail: { files: 1 } },
  ]);
});
