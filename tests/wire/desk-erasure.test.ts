import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { archivePath, ErasureListSchema } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';
import {
  deskApi,
  handIn,
  must,
  getRow,
  TEAM,
  getToken,
  type DeskCall,
  type Handed,
} from '#tests/support/desk-calls.ts';
import { mailsWritten } from '#tests/support/desk-mail.ts';
import { change, look } from '#tests/support/desk.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { findTraces } from '#tests/support/find-traces.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { reviewPost } from '#tests/support/posts.ts';
import { startS3, type S3Server } from '#tests/support/s3.ts';

const EMPTY = { contributions: 0, files: 0, turns: 0, feedback: 0, events: 0, mails: 0, accounts: 0 };

/** Words that stand nowhere but in what this person handed in. */
type Person = Readonly<{ user: TestUser; email: string; name: string; words: string[] }>;

async function newPerson(server: TestServer): Promise<Person> {
  const word = `kanarie${randomUUID().replaceAll('-', '')}`;
  const email = `${word}.o'neil+x@beispiel.test`;
  const name = `Jörg${word}`;
  return { user: await createUser(server, { role: 'firma_a', email }), email, name, words: [word] };
}

function somethingOf({ name, words }: Person) {
  const bytes = Buffer.from(`${words[0]}\n`.repeat(100));
  const files = [
    { type: 'text/plain', extension: 'txt', bytes },
    { type: 'image/x-any', extension: 'bin', bytes },
  ] as const;
  return { transcript: `Du: Ich bin ${name}, ${words[0]}.`, name, turns: 3, files };
}

/** A resumable upload that stops in the middle. */
async function beginUpload(server: TestServer, person: Person, id: number): Promise<void> {
  const authorization = `Bearer ${await getToken(person.user)}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const metadata = {
    bucketName: 'Media',
    objectName: `${id}/1_${randomBytes(16).toString('hex')}.bin`,
    contentType: 'video/x-any',
  };
  const common = { authorization, 'tus-resumable': '1.0.0' };
  const made = await fetch(`${server.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...common,
      'upload-length': '20000000',
      'upload-metadata': Object.entries(metadata)
        .map(([key, value]) => `${key} ${base64(value)}`)
        .join(','),
    },
  });
  expect(made.status).toBe(201);
  const sent = await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...common, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: `${person.words[0]}\n`.repeat(100),
  });
  expect(sent.status).toBe(204);
}

describe.each(['disk', 's3'] as const)('Desk: erasure with files on %s', (kind) => {
  let server: TestServer;
  let s3: S3Server | undefined;
  let admin: TestUser;
  let desk: DeskCall;

  beforeAll(async () => {
    s3 = kind === 's3' ? await startS3() : undefined;
    server = await bootServer({ ...TEAM, ...s3?.env });
    admin = await createUser(server, { role: 'admin' });
    desk = await deskApi(server.url, admin);
  });
  afterAll(async () => {
    await server.stop();
    await s3?.stop();
  });

  const traces = (words: readonly string[]): Promise<string[]> =>
    findTraces(
      { databaseUrl: server.databaseUrl, folders: [server.dataDir, ...(s3 === undefined ? [] : [s3.directory])] },
      words,
    );

  async function moveTo(id: number, state: 'for_review'): Promise<void> {
    const { version } = await look(admin.client, id);
    await change(admin.client, { id, version, change: { state } });
  }

  test('Erases one contribution with everything and nothing else', async () => {
    const person = await newPerson(server);
    const gone = await handIn(person.user, somethingOf(person));
    // Otherwise the team could be told of both contributions in one mail, which names nobody.
    await mailsWritten(server);
    const other = await newPerson(server);
    const stays = await handIn(other.user, somethingOf(other));
    // An earlier version of a file, and an upload that stopped in the middle.
    const again = person.user.client.storage
      .from('Media')
      .upload(gone.files[0]?.path ?? '', `${person.words[0]}!`, { upsert: true, contentType: 'text/plain' });
    await must(again);
    await beginUpload(server, person, gone.id);
    await moveTo(gone.id, 'for_review');
    await mailsWritten(server);
    const [word = ''] = person.words;
    const [key] = [await reviewPost(server, admin.client, gone.id, word)];
    await reviewPost(server, admin.client, stays.id, 'niemand');
    const mails = await mailsIn(server.dataDir);
    const about = mails.filter(({ text }) => text.includes(person.name));
    expect(about.map(({ to }) => to).toSorted(), JSON.stringify(mails)).toEqual(
      [TEAM.DESK_MAIL_TO, person.email].toSorted(),
    );
    expect((await traces(person.words)).length).toBeGreaterThan(8);

    const receipt = await eraseAs(desk, { contribution: gone.id });
    expect(receipt).toMatchObject({
      ...EMPTY,
      by: admin.id,
      what: 'contribution',
      contributions: 1,
      files: 2,
      turns: 3,
      feedback: 1,
      events: 3,
      mails: 2,
      posts: 1,
    });
    const opened = await server.client({ headers: { 'x-review-key': key } }).rpc('review_open');
    expect(opened).toMatchObject({ status: 404, error: { message: 'no such review' } });
    expect(await must(admin.client.from('posts').select('id').eq('interview_id', stays.id))).toHaveLength(1);
    // The account is not the contribution.
    expect((await traces(person.words)).filter((trace) => !trace.startsWith('auth.'))).toEqual([]);
    expect(await desk('GET', archivePath(gone.id))).toMatchObject({ code: 'contribution_not_found' });
    expect((await desk('GET', archivePath(stays.id))).bytes.length).toBeGreaterThan(500);
    expect(await desk('POST', '/v1/desk/erasures', { contribution: gone.id })).toMatchObject({
      code: 'contribution_not_found',
    });
  });

  test('Erases a person with account, all contributions and mails, with 0 finds', async () => {
    const person = await newPerson(server);
    await handIn(person.user, somethingOf(person));
    // Each contribution in a mail of its own: what waits together is one mail (decision 0124).
    await mailsWritten(server);
    const partner = await newPerson(server);
    const theirs = await handIn(partner.user, { ...somethingOf(person), email: person.email.toUpperCase() });
    await mailsWritten(server);
    const key = newKey();
    const open = server.client({ headers: { 'x-interview-key': key } });
    const { id } = await getRow(
      open.from('interviews').insert({ transcript: person.words[0] }).select('id').single<{ id: number }>(),
    );
    await must(open.from('interviews').update({ contact_email: person.email }).eq('id', id));
    await beginUpload(server, partner, theirs.id);
    await reviewPost(server, admin.client, theirs.id, person.words[0] ?? '');
    await must(server.client().auth.resetPasswordForEmail(person.email));
    await must(
      server
        .client()
        .auth.resetPasswordForEmail(`x${person.email}`)
        .then(() => ({ data: 1, error: null })),
    );
    await expect.poll(async () => (await mailsIn(server.dataDir)).map(({ to }) => to)).toContain(person.email);
    await mailsWritten(server);
    expect(
      (await desk('GET', `/v1/desk/people?email=${encodeURIComponent(` ${person.email.toUpperCase()}`)}`)).body,
    ).toEqual({
      email: person.email,
      contributions: 3,
      files: 4,
      turns: 6,
      feedback: 2,
      posts: 1,
      mails: 4,
      auditEntries: 7,
      account: { id: person.user.id, role: 'firma_a', erasable: 'yes' },
    });

    const receipt = await eraseAs(desk, { email: person.email, account: true });
    expect(receipt).toMatchObject({
      what: 'person',
      contributions: 3,
      files: 4,
      turns: 6,
      feedback: 2,
      mails: 4,
      accounts: 1,
    });
    expect(await traces([...person.words, person.user.id, key])).toEqual([]);
    expect((await desk('GET', `/v1/desk/people?email=${encodeURIComponent(person.email)}`)).body).toMatchObject({
      contributions: 0,
      mails: 0,
      account: null,
    });
    expect((await traces(partner.words)).length).toBeGreaterThan(0);
    // A receipt says nothing about whom.
    expect(Object.keys(receipt).toSorted()).toEqual([
      'accounts',
      'at',
      'by',
      'contributions',
      'events',
      'feedback',
      'files',
      'id',
      'mails',
      'posts',
      'turns',
      'what',
    ]);
    // A browser that still has the key makes nothing of it again (D10).
    const revived = await open.from('interviews').insert({ id, transcript: 'wieder da' });
    expect(revived.error?.code).toBe('42501');
  });

  test('What its member discards goes at once, its files and unfinished uploads in the next round', async () => {
    const person = await newPerson(server);
    const begun = await handIn(person.user, somethingOf(person));
    await mailsWritten(server);
    expect(await person.user.client.rpc('discard_contribution', { contribution: begun.id })).toMatchObject({
      status: 409,
      error: { message: 'contribution_finished' },
    });
    await asOwner(server.databaseUrl, (client) =>
      client.query('update interviews set contact_email = null where id = $1', [begun.id]),
    );
    await beginUpload(server, person, begun.id);
    await must(person.user.client.rpc('discard_contribution', { contribution: begun.id }));
    expect(await must(person.user.client.from('interviews').select('id'))).toEqual([]);
    expect((await person.user.client.storage.from('Media').download(begun.files[0]?.path ?? '')).error).not.toBeNull();
    // An erasure begins a round.
    const next = await handIn(await createUser(server, { role: 'firma_b' }), {});
    await mailsWritten(server);
    await eraseAs(desk, { contribution: next.id });
    const find = async () => {
      const { receipts } = ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);
      return receipts.find(({ by }) => by === person.user.id);
    };
    await expect.poll(find).toMatchObject({ what: 'discarded', contributions: 1, files: 2, turns: 3, feedback: 1 });
    expect((await traces(person.words)).filter((trace) => !trace.startsWith('auth.'))).toEqual([]);
  });

  test('Erases an upload that ends after the erasure', async () => {
    const person = await newPerson(server);
    const { id } = await handIn(person.user, {});
    await mailsWritten(server);
    await eraseAs(desk, { contribution: id });
    await must(
      server
        .service()
        .storage.from('Media')
        .upload(`${id}/late.txt`, person.words[0] ?? '', { contentType: 'text/plain' }),
    );
    const next = await handIn(person.user, {});
    await mailsWritten(server);
    await eraseAs(desk, { contribution: next.id });
    expect(await traces([`${id}/late.txt`])).toEqual([]);
  });

  test('Erases a mail written during the erasure', async () => {
    const person = await newPerson(server);
    const { id } = await handIn(person.user, somethingOf(person));
    await moveTo(id, 'for_review');
    await mailsWritten(server);
    const outbox = path.join(server.dataDir, 'outbox');
    const about = (await mailsIn(server.dataDir)).filter(({ text }) => text.includes(person.name));
    expect(about).toHaveLength(2);
    const held = await Promise.all(
      about.map(async ({ file }) => [file, await readFile(path.join(outbox, file))] as const),
    );
    await eraseAs(desk, { contribution: id });
    for (const [file, bytes] of held) await writeFile(path.join(outbox, file), bytes);
    const other = await newPerson(server);
    const next = await handIn(other.user, {});
    await eraseAs(desk, { contribution: next.id });
    expect((await mailsIn(server.dataDir)).filter(({ text }) => text.includes(person.name))).toEqual([]);
  });
});

describe('Desk: limits of erasure', () => {
  let server: TestServer;
  let admin: TestUser;
  let desk: DeskCall;

  beforeAll(async () => {
    server = await bootServer();
    admin = await createUser(server, { role: 'admin' });
    desk = await deskApi(server.url, admin);
  });
  afterAll(() => server.stop());

  const handSome = (email: string): Promise<Handed> => handIn(admin, { email });

  test('Keeps the account unless asked', async () => {
    const { id } = await handSome('wer@beispiel.test');
    const receipt = await eraseAs(desk, { email: admin.email });
    expect(receipt).toMatchObject({ contributions: 1, accounts: 0 });
    expect(await desk('GET', archivePath(id))).toMatchObject({ code: 'contribution_not_found' });
    expect((await admin.client.auth.getUser()).error).toBeNull();
  });

  test('Keeps the own account and the last administrator', async () => {
    expect(await desk('POST', '/v1/desk/erasures', { email: admin.email, account: true })).toMatchObject({
      status: 409,
      code: 'own_account',
    });
    const colleague = await createUser(server, { role: 'admin' });
    const asColleague = await deskApi(server.url, colleague);
    const both = await Promise.all([
      desk('POST', '/v1/desk/erasures', { email: colleague.email, account: true }),
      asColleague('POST', '/v1/desk/erasures', { email: admin.email, account: true }),
    ]);
    expect(both.every(({ status }) => status < 300)).toBe(false);
    const left = () => must(server.service().from('user_roles').select('user_id').eq('role', 'admin'));
    // The one that was accepted may go on after its answer.
    await expect.poll(left).toHaveLength(1);
  });
});

test('Desk: erases on a hosted project with its service key', async () => {
  const project = await bootServer();
  const application = await bootHosted(project, { SUPABASE_SERVICE_KEY: project.backend.keys.secretKey });
  try {
    const admin = await createUser(project, { role: 'admin' });
    const person = await newPerson(project);
    await handIn(person.user, somethingOf(person));
    const receipt = await eraseAs(await deskApi(application.url, admin), { email: person.email, account: true });
    expect(receipt).toMatchObject({ contributions: 1, files: 2, accounts: 1 });
    // Mails that the project has sent are out of the application's reach.
    const where = { databaseUrl: project.databaseUrl, folders: [path.join(project.dataDir, 'files')] };
    expect(await findTraces(where, [...person.words, person.user.id])).toEqual([]);
  } finally {
    await application.stop();
    await project.stop();
  }
});
