import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, inbox, look, getRefusal } from '#tests/support/desk.ts';

let server: TestServer;
let ada: TestUser;
let grace: TestUser;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  grace = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

const getLog = async (id: number) => {
  const { data } = await ada.client.from('desk_audit_log').select('what,by,detail').eq('interview_id', id).order('id');
  return data;
};

describe('Desk: contribution', () => {
  test('Returns everything submitted and logs the view', async () => {
    const id = await contribute(server, {
      userEmail: 'konto@beispiel.test',
      transcript: 'Interviewer: Hallo\n\nDu: Guten Tag',
      answers: { who: 'wir', what: 'Lager', when: 'heute', where: 'hier', why: 'darum' },
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@beispiel.test',
      files: [
        { path: '1_a.mp4', type: 'video/mp4' },
        { path: '2_b.png', type: 'image/png' },
      ],
      turns: ['Guten Tag', 'Auf Wiedersehen'],
      origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' },
    });
    await asOwner(server.databaseUrl, (client) =>
      client.query(`insert into storage.objects (bucket_id, name, metadata) values ('Media', $1, '{"size": 123}')`, [
        `${id}/1_a.mp4`,
      ]),
    );
    expect(await look(ada.client, id)).toMatchObject({
      id,
      area: 'firma-a',
      kind: 'interview',
      topic: 'tech-dive',
      contributor: 'Ada Lovelace',
      contributorEmail: 'ada@beispiel.test',
      state: 'new',
      finished: true,
      files: 2,
      version: 1,
      excerpt: 'Guten Tag',
      transcript: 'Interviewer: Hallo\n\nDu: Guten Tag',
      answers: { what: 'Lager' },
      firstName: 'Ada',
      lastName: 'Lovelace',
      publishedUrl: null,
      fileList: [
        { path: `${id}/1_a.mp4`, type: 'video/mp4', size: 123 },
        { path: `${id}/2_b.png`, type: 'image/png', size: null },
      ],
      turns: [
        { conversation: '', position: 0, speaker: 'user', content: 'Guten Tag' },
        { position: 1, content: 'Auf Wiedersehen' },
      ],
      events: [],
    });
    expect(await getLog(id)).toEqual([{ what: 'view', by: ada.id, detail: {} }]);
  });

  test('Answers PT404 for an unknown contribution', async () => {
    expect(await getRefusal(ada.client.rpc('desk_contribution', { id: 999_999 }))).toEqual({
      status: 404,
      code: 'PT404',
    });
    const gone = ada.client.rpc('desk_change', { id: 999_999, version: 1, change: { note: 'x' } });
    expect(await getRefusal(gone)).toEqual({ status: 404, code: 'PT404' });
  });
});

describe('Desk: changes', () => {
  test('Allows every change of state and records account and time', async () => {
    const id = await contribute(server, { transcript: 'Zustand' });
    const way = ['in_progress', 'for_review', 'in_progress', 'rejected', 'new', 'published', 'in_progress'] as const;
    let version = 1;
    for (const state of way) {
      const url = state === 'published' ? { url: 'https://beispiel.test/post?x=1' } : {};
      const after = await change(grace.client, { id, version, change: { state, ...url } });
      expect(after).toMatchObject({ state, version: version + 1 });
      version = after.version;
    }
    const { events, publishedUrl } = await look(ada.client, id);
    const moves = events.filter(({ what }) => what === 'state');
    expect(moves.map(({ what, from, to, by }) => [what, from, to, by])).toEqual(
      way.map((state, place) => ['state', place === 0 ? 'new' : way[place - 1], state, grace.email]).toReversed(),
    );
    expect(events.find(({ to }) => to === 'published')?.text).toBe('https://beispiel.test/post?x=1');
    expect(publishedUrl).toBe('https://beispiel.test/post?x=1');
    const changes = (await getLog(id))?.filter(({ what }) => what === 'state');
    expect(changes?.[0]).toEqual({ what: 'state', by: grace.id, detail: { from: 'new', to: 'in_progress' } });
    expect(changes).toHaveLength(way.length);
  });

  test('Stores the text for the contributor with the change', async () => {
    const id = await contribute(server);
    const after = await change(ada.client, {
      id,
      version: 1,
      change: { state: 'for_review', text: 'Bitte <b>lesen</b>\r\nBcc: x' },
    });
    expect(after.events[0]).toMatchObject({ what: 'state', to: 'for_review', text: 'Bitte <b>lesen</b>\r\nBcc: x' });
  });

  test('Ignores an equal change but stores another link', async () => {
    const id = await contribute(server);
    const same = await change(ada.client, { id, version: 1, change: { state: 'new' } });
    expect(same).toMatchObject({ version: 1, events: [] });
    await change(ada.client, { id, version: 1, change: { state: 'published', url: 'http://a.test/1' } });
    await change(ada.client, { id, version: 2, change: { state: 'published', url: 'http://a.test/1' } });
    const other = await change(ada.client, { id, version: 2, change: { state: 'published', url: 'http://a.test/2' } });
    expect(other).toMatchObject({ version: 3, publishedUrl: 'http://a.test/2' });
    // The server may have noted by now that the mail about it has no address.
    expect(other.events.filter(({ what }) => what === 'state')).toHaveLength(2);
  });

  test('Shows the contributor’s first words, not the greeting, and all of a text that is no conversation', async () => {
    const greeting = 'Interviewer: Hallo, schön, dass du da bist! Was passiert bei euch?';
    const lines: readonly (readonly [transcript: string, shown: string])[] = [
      [
        `${greeting}\n\nDu: Wir bauen eine Halle.\n\nInterviewer: Wer?\n\nDu: Unser Team.`,
        'Wir bauen eine Halle. Unser Team.',
      ],
      [greeting, ''],
      ['Vom Stahl.\n\nDu: Und mehr.', 'Vom Stahl. Du: Und mehr.'],
    ];
    for (const [transcript, shown] of lines) {
      const id = await contribute(server, { transcript });
      expect((await look(ada.client, id)).excerpt).toBe(shown);
    }
  });

  test('Assigns a contribution to the one who takes it into work, unless a colleague has it', async () => {
    const id = await contribute(server);
    const taken = await change(ada.client, { id, version: 1, change: { state: 'in_progress' } });
    expect(taken).toMatchObject({ state: 'in_progress', assignee: ada.id, assigneeEmail: ada.email, version: 2 });
    expect(taken.events).toMatchObject([
      { what: 'state', to: 'in_progress' },
      { what: 'assignment', by: ada.email, from: null, to: ada.email },
    ]);
    expect(await getLog(id)).toContainEqual({ what: 'assignment', by: ada.id, detail: { from: null, to: ada.id } });
    await change(ada.client, { id, version: 2, change: { state: 'new' } });
    const again = await change(grace.client, { id, version: 3, change: { state: 'in_progress' } });
    expect(again).toMatchObject({ assignee: ada.id });
    await change(grace.client, { id, version: 4, change: { assignee: null } });
    expect(await look(grace.client, id)).toMatchObject({ state: 'in_progress', assignee: null });
  });

  test('Assigns and unassigns', async () => {
    const id = await contribute(server);
    const given = await change(ada.client, { id, version: 1, change: { assignee: grace.id } });
    expect(given).toMatchObject({ assignee: grace.id, assigneeEmail: grace.email, version: 2 });
    expect(given.events[0]).toMatchObject({ what: 'assignment', by: ada.email, from: null, to: grace.email });
    const back = await change(ada.client, { id, version: 2, change: { assignee: null } });
    expect(back).toMatchObject({ assignee: null, assigneeEmail: null, version: 3 });
    expect(back.events[0]).toMatchObject({ what: 'assignment', from: grace.email, to: null });
  });

  test('Stores notes without a version, newest first', async () => {
    const id = await contribute(server);
    await change(ada.client, { id, version: 1, change: { note: '=HYPERLINK("x") <script>alert(1)</script>' } });
    const after = await change(grace.client, { id, version: 99, change: { note: 'zwei' } });
    expect(after.version).toBe(1);
    expect(after.events.map(({ what, by, text }) => [what, by, text])).toEqual([
      ['note', grace.email, 'zwei'],
      ['note', ada.email, '=HYPERLINK("x") <script>alert(1)</script>'],
    ]);
    expect(JSON.stringify(await getLog(id))).not.toContain('HYPERLINK');
  });
});

describe('Desk: conflicting changes', () => {
  test('Refuses the second change and keeps the first', async () => {
    const id = await contribute(server);
    await change(ada.client, { id, version: 1, change: { state: 'in_progress' } });
    const late = { id, version: 1, change: { state: 'rejected' } };
    expect(await getRefusal(grace.client.rpc('desk_change', late))).toEqual({ status: 409, code: 'PT409' });
    expect(await getRefusal(grace.client.rpc('desk_change', { ...late, change: { assignee: grace.id } }))).toEqual({
      status: 409,
      code: 'PT409',
    });
    const after = await look(grace.client, id);
    expect(after).toMatchObject({ state: 'in_progress', assignee: ada.id });
    expect(after.events).toHaveLength(2);
  });

  test('Accepts one of twenty simultaneous changes', async () => {
    const id = await contribute(server);
    const wanted = { id, version: 1, change: { state: 'in_progress' } };
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? ada : grace).client.rpc('desk_change', wanted)),
    );
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect((await look(ada.client, id)).events).toHaveLength(2);
  });
});

describe('Desk: invalid changes', () => {
  const LONG = 'x'.repeat(10_001);
  test.each<[string, unknown]>([
    ['nothing', {}],
    ['null', null],
    ['a list', [{ note: 'x' }]],
    ['an unknown state', { state: 'done' }],
    ['no state', { state: null }],
    ['published without a link', { state: 'published' }],
    ['published with no link', { state: 'published', url: '' }],
    ['published with a script', { state: 'published', url: 'javascript:alert(1)' }],
    ['published with a broken link', { state: 'published', url: 'https://' }],
    ['published with a link of two lines', { state: 'published', url: 'https://a.test/\nBcc: x' }],
    ['a link too long', { state: 'published', url: `https://a.test/${LONG}` }],
    ['a link where none belongs', { state: 'rejected', url: 'https://a.test' }],
    ['a text where none belongs', { state: 'rejected', text: 'x' }],
    ['a text too long', { state: 'for_review', text: LONG }],
    ['a text that is none', { state: 'for_review', text: 7 }],
    ['an empty note', { note: ' \n' }],
    ['a note too long', { note: LONG }],
    ['two things at once', { note: 'x', state: 'new' }],
    ['an assignee that is no id', { assignee: 'ada' }],
    ['an assignee nobody knows', { assignee: '00000000-0000-4000-8000-000000000000' }],
    ['something unknown', { state: 'new', colour: 'red' }],
  ])('%s', async (_name, wanted) => {
    const id = await contribute(server);
    expect(await getRefusal(ada.client.rpc('desk_change', { id, version: 1, change: wanted }))).toEqual({
      status: 400,
      code: '22023',
    });
    expect(await look(ada.client, id)).toMatchObject({ version: 1, state: 'new', events: [] });
  });

  test('Refuses an assignee who is not an administrator', async () => {
    const member = await createUser(server, { role: 'firma_a' });
    const id = await contribute(server);
    const wanted = { id, version: 1, change: { assignee: member.id } };
    expect(await getRefusal(ada.client.rpc('desk_change', wanted))).toEqual({ status: 400, code: '22023' });
  });
});

describe('Desk: colleagues, log and change token', () => {
  test('Lists the administrators as colleagues', async () => {
    const { data } = await ada.client.rpc('desk_colleagues');
    expect(data).toEqual(
      [ada, grace]
        .map(({ id, email }) => ({ id, email, locked: false }))
        .toSorted((a, b) => a.email.localeCompare(b.email)),
    );
  });

  test('Keeps events of a deleted account without a name', async () => {
    const passing = await createUser(server, { role: 'admin' });
    const id = await contribute(server);
    await change(passing.client, { id, version: 1, change: { assignee: passing.id } });
    await server.service().auth.admin.deleteUser(passing.id);
    const after = await look(ada.client, id);
    expect(after).toMatchObject({ assignee: null, assigneeEmail: null });
    expect(after.events[0]).toMatchObject({ what: 'assignment', by: '', from: null, to: '' });
    expect(await getLog(id)).toContainEqual(expect.objectContaining({ by: passing.id, what: 'assignment' }));
  });

  test('Keeps the log after an erasure and refuses changes to it', async () => {
    const id = await contribute(server, { firstName: 'Vergiss', lastName: 'Mich', email: 'v@beispiel.test' });
    await look(ada.client, id);
    await ada.client.rpc('desk_audit', { interview_id: id, what: 'file', detail: { file: 7 } });
    await server.service().rpc('desk_audit', { interview_id: id, what: 'erasure' });
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
    expect(await getLog(id)).toEqual([
      { what: 'view', by: ada.id, detail: {} },
      { what: 'file', by: ada.id, detail: { file: 7 } },
      { what: 'erasure', by: null, detail: {} },
    ]);
    for (const sql of [
      'update desk_audit_log set what = $$x$$',
      'delete from desk_audit_log',
      'truncate desk_audit_log',
    ])
      await expect(asOwner(server.databaseUrl, (client) => client.query(sql))).rejects.toMatchObject({ code: '42501' });
  });

  test('Reading a dossier writes its line, and the log takes numbers and codes only', async () => {
    const id = await contribute(server, { firstName: 'Ada', lastName: 'L', email: 'dossier@beispiel.test' });
    expect((await ada.client.rpc('desk_dossier', { contribution: id })).error).toBeNull();
    expect((await ada.client.rpc('desk_dossier', { contribution: 999_999_999 })).data).toBeNull();
    expect(await getLog(id)).toEqual([{ what: 'dossier', by: ada.id, detail: {} }]);
    const count = async (what: string) =>
      (await ada.client.from('desk_audit_log').select('id').eq('what', what).eq('by', ada.id)).data?.length;
    expect([await count('person'), await count('export')]).toEqual([0, 0]);
    await ada.client.rpc('desk_person', { email: 'dossier@beispiel.test' });
    await ada.client.rpc('desk_person_dossier', { email: 'dossier@beispiel.test' });
    expect([await count('person'), await count('export')]).toEqual([1, 1]);
    const add = async (what: string, detail: unknown) =>
      (await ada.client.rpc('desk_audit', { interview_id: id, what, detail })).error?.code;
    for (const detail of [
      { name: 'mueller' },
      { note: 'Max Muster' },
      { to: ['a'] },
      { to: { a: 1 } },
      { 'max muster': 1 },
    ])
      expect(await add('file', detail)).toBe('23514');
    expect(await add('max_muster', {})).toBe('23514');
    expect(await add('file', { files: 2, from: 'new', to: ada.id, last: null })).toBeUndefined();
  });

  test('Returns the erased ids among the given ones, with a limit', async () => {
    const [kept, erased] = await Promise.all([contribute(server), contribute(server)]);
    const gone = (ids: readonly number[]) => ada.client.rpc('desk_gone', { ids });
    expect((await gone([kept, erased])).data).toEqual([]);
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [erased]));
    expect((await gone([kept, erased])).data).toEqual([erased]);
    expect((await gone([])).data).toEqual([]);
    expect((await gone(Array.from({ length: 10_000 }, () => kept))).data).toEqual([]);
    expect(await getRefusal(gone(Array.from({ length: 10_001 }, () => kept)))).toEqual({ status: 400, code: '22023' });
  });

  test('Changes the token with anything in the list', async () => {
    const beats = new Set<unknown>();
    const beat = async (): Promise<number> => beats.add((await ada.client.rpc('desk_pulse')).data).size;
    const id = await contribute(server);
    expect(await beat()).toBe(1);
    expect(await beat()).toBe(1);
    await change(ada.client, { id, version: 1, change: { note: 'x' } });
    expect(await beat()).toBe(2);
    await asOwner(server.databaseUrl, (client) =>
      client.query(`update interviews set contact_email = 'a@b' where id = $1`, [id]),
    );
    expect(await beat()).toBe(3);
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
    expect(await beat()).toBe(4);
    expect((await inbox(ada.client)).items.map((item) => item.id)).not.toContain(id);
  });
});
