import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, idsIn, inbox } from '#tests/support/desk.ts';

/** Full-text search in German, in transcripts, W-answers and names; what it finds is marked and never HTML. */
let server: TestServer;
let ada: TestUser;
const known = new Map<string, number>();

const TEXTS: Readonly<Record<string, string>> = {
  lagerungen: 'Interviewer: Worum geht es?\n\nDu: Die Lagerungen der Welle haben wir neu berechnet.',
  lüftung: 'Die Lüftung im Prüfstand ist laut.',
  straße: 'Auf der Straße liegt Öl.',
  weder: 'Ein Gleitlager und/oder Wälzlager trägt die Turbine.Danach kommt der Rost.',
  welle: 'Die schnelle Welle dreht, die Lager bleiben kalt.',
  compound: 'An der Wasserstofftankstelle steht eine Prüfmaschine.',
  markup: 'Wir schrieben <b>Fettdruck</b> &amp; <script>alert("Skript")</script> in das Protokoll.',
};

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  for (const [name, transcript] of Object.entries(TEXTS)) known.set(name, await contribute(server, { transcript }));
  known.set(
    'answers',
    await contribute(server, {
      answers: { who: 'Frau Özdemir', what: 'ein Getriebe', when: '', where: 'Köln', why: 'weil' },
    }),
  );
  known.set(
    'name',
    await contribute(server, {
      firstName: 'Jürgen',
      lastName: 'Weil',
      email: 'jw@haus.test',
      transcript: 'Etwas anderes.',
    }),
  );
  known.set('marks', await contribute(server, { firstName: 'Łukasz', lastName: 'Çelik-Nováková', transcript: '' }));
  const file = { path: '1.pdf', type: 'application/pdf', name: 'Drehmomentkurve_Halle 3.pdf' };
  const drawing = { path: '2.pdf', type: 'application/pdf', name: 'Zeichnung-0815-Rev-3.pdf' };
  known.set('file', await contribute(server, { transcript: 'Dazu ein Blatt.', files: [file, drawing] }));
  const said = 'Die Pumpe-4711 lief bei -20 Grad, Baujahr 1998-2004.';
  known.set('numbers', await contribute(server, { transcript: said, email: 'lab-1980@werk.test' }));
  known.set('account', await contribute(server, { userEmail: 'turbo@werk.test' }));
});
afterAll(() => server.stop());

async function found(search: string): Promise<string[]> {
  const ids = new Set(await idsIn(ada.client, { search, limit: 200 }));
  return [...known].filter(([, id]) => ids.has(id)).map(([name]) => name);
}

async function excerpt(search: string): Promise<string> {
  return (await inbox(ada.client, { search })).items[0]?.excerpt ?? '';
}

const mark = (text: string): string => text.replaceAll('[', '\u0001').replaceAll(']', '\u0002');

describe('Desk: search', () => {
  test.each<[string, readonly string[]]>([
    ['Lagerung', ['lagerungen']],
    ['LAGERUNGEN', ['lagerungen']],
    ['Lüftungen', ['lüftung']],
    ['lu\u0308ftung', ['lüftung']],
    ['celik', ['marks']],
    ['Çelik', ['marks']],
    // Written without the mark by the contributor.
    ['Özdémir', ['answers']],
    ['Lüftúng', ['lüftung']],
    ['Lukasz Novakova', ['marks']],
    ['Juergen', ['name']],
    ['Jurgen', ['name']],
    ['Strasse', ['straße']],
    ['Öl', ['straße']],
    ['Wälzlager', ['weder']],
    ['Gleitlager', ['weder']],
    ['und/oder Wälzlager', ['weder']],
    ['Turbine', ['weder']],
    ['welle', ['lagerungen', 'welle']],
    ['"schnelle Welle"', ['welle']],
    ['"Welle schnelle"', []],
    ['"Lager bleiben kalt"', ['welle']],
    ['"Wälzlager trägt die Turbine"', ['weder']],
    ['"Wälzlager Turbine"', []],
    ['"schnelle Welle" "Lager bleiben"', ['welle']],
    ['"schnelle Welle" "bleiben Lager"', []],
    ['"schnelle Welle" or "Öl Straße"', ['welle']],
    ['"Straße liegt Öl" -Rost', ['straße']],
    ['welle -schnell', ['lagerungen']],
    ['Rost or Öl', ['straße', 'weder']],
    ['Fettdruck', ['markup']],
    ['Skript', ['markup']],
    ['<script>', ['markup']],
    ['Özdemir', ['answers']],
    ['Getriebe Köln', ['answers']],
    ['Jürgen', ['name']],
    // A name that is also a word German texts are full of.
    ['Weil', ['name']],
    ['jw@haus.test', ['name']],
    ['turbo@werk.test', ['account']],
    ['Wasserstoff', ['compound']],
    ['Tankstellen', ['compound']],
    ['Wasserst', ['compound']],
    ['Maschine Wasserstoff', ['compound']],
    ['Maschinen or Rost', ['weder', 'compound']],
    ['Maschine -Rost', ['compound']],
    ['Maschine -Wasserstofftankstelle', []],
    // Its beginning alone, or its middle, is another word.
    ['Prüf', []],
    ['Stoff', []],
    ['"Maschine"', []],
    ['"Prüfmaschine"', ['compound']],
    ['"eine Maschine"', []],
    ['Drehmomentkurven', ['file']],
    ['Kurve Blatt', ['file']],
    ['drehmomentkurve_halle 3.pdf', ['file']],
    ['4711', ['numbers']],
    ['Pumpe-4711', ['numbers']],
    ['"Pumpe 4711"', ['numbers']],
    ['20 Grad', ['numbers']],
    ['2004', ['numbers']],
    ['1998-2004', ['numbers']],
    ['lab-1980@werk.test', ['numbers']],
    ['Pumpe -2004', []],
    ['0815', ['file']],
    ['Quantenschaum', []],
    ['%', []],
    [`'; drop table interviews; --`, []],
    ['((("', []],
    ['-', []],
  ])('%s', async (search, expected) => {
    expect(await found(search)).toEqual(expected);
  });

  test('Finds the same with and without the index', async () => {
    // Texts of twelve words out of seven, two of them none that is indexed; phrases of two to four of them, some with a
    // word beside.
    const { rows } = await asOwner(server.databaseUrl, async (client) => {
      await client.query('begin');
      try {
        await client.query(`select setseed(0.7)`);
        await client.query('truncate private.desk_search');
        await client.query('set local session_replication_role = replica');
        await client.query(
          `create temp table said (word) as
            values ('Welle'), ('Lager'), ('Stahl'), ('und'), ('die'), ('O''Hara'), ('Öl-Druck')`,
        );
        await client.query(
          `insert into private.desk_search (interview_id, area, kind, finished, state, created_at, words)
           select n, 'generic', 'interview', false, 'new', now(), private.desk_words((select string_agg(word, ' ') from (select word from said, generate_series(1, 5)
             where n > 0 order by random() limit 12) as w))
           from generate_series(1, 300) as n`,
        );
        return await client.query<{ phrase: string; found: number[]; read: number[] }>(
          `select phrase, array(select unnest(private.desk_found(words)) order by 1)::int[] as found,
             array(select interview_id from private.desk_search as s where s.words @@ q.words order by 1)::int[] as read
           from (
             select n, '"' || (select string_agg(word, ' ') from (select word from said where n > 0
               order by random() limit 2 + n % 3) as w) || '"' || case when n % 4 = 0 then ' Stahl' else '' end as phrase
             from generate_series(1, 120) as n
           ) as p, private.desk_words_sought(p.phrase) as q (words)`,
        );
      } finally {
        await client.query('rollback');
      }
    });
    for (const { phrase, found: ids, read } of rows) expect([phrase, ids]).toEqual([phrase, read]);
    expect(rows.filter(({ read }) => read.length > 0).length).toBeGreaterThan(40);
  });

  test('Finds a note of the team at once', async () => {
    const id = known.get('account') ?? 0;
    expect(await found('Messestand')).toEqual([]);
    await change(ada.client, { id, version: 1, change: { note: 'Für den Messestand vormerken.' } });
    expect(await found('Messestand')).toEqual(['account']);
    expect(await found('Messestände')).toEqual(['account']);
  });

  test('Searches with exclusions only', async () => {
    const everything = [...known.keys()];
    expect(await found('-Welle')).toEqual(everything.filter((name) => name !== 'lagerungen' && name !== 'welle'));
    expect(await found('-Welle -Turbine')).toEqual(
      everything.filter((name) => !['lagerungen', 'welle', 'weder'].includes(name)),
    );
  });

  test('Ignores an empty search', async () => {
    expect(await found('  ')).toEqual([...known.keys()]);
  });

  test('Combines search with filters, sorts, pages and counts', async () => {
    const id = known.get('welle') ?? 0;
    await change(ada.client, { id, version: 1, change: { state: 'rejected' } });
    expect(await idsIn(ada.client, { search: 'Welle', states: ['rejected'] })).toEqual([id]);
    expect((await inbox(ada.client, { search: 'Welle' })).counts).toMatchObject({ new: 1, rejected: 1 });
    const first = await inbox(ada.client, { search: 'Welle', sort: 'oldest', limit: 1 });
    expect(first.items.map((item) => item.id)).toEqual([known.get('lagerungen')]);
    expect(await idsIn(ada.client, { search: 'Welle', sort: 'oldest', after: first.next ?? '' })).toEqual([id]);
  });
});

describe('Desk: search excerpts', () => {
  test.each([
    ['Lagerung', 'Worum geht es? Du: Die [Lagerungen] der Welle haben wir neu berechnet'],
    ['Wälzlager', 'Gleitlager und/oder [Wälzlager] trägt die Turbine.Danach kommt der Rost'],
    ['Rost', 'trägt die Turbine.Danach kommt der [Rost]'],
    ['Fettdruck', 'schrieben <b>[Fettdruck]</b> &amp; <script>alert("Skript")</script> in das Protokoll'],
    ['Getriebe', '[Getriebe]'],
    ['4711', 'Pumpe-[4711] lief bei -20 Grad'],
    ['20 Grad', 'lief bei -[20] [Grad]'],
    ['Maschine', 'steht eine [Prüfmaschine]'],
    ['Tankstelle Prüfmaschine', '[Wasserstofftankstelle] steht eine [Prüfmaschine]'],
  ])('%s', async (search, expected) => {
    expect(await excerpt(search)).toContain(mark(expected));
  });

  test('Shows the beginning if only the name matches', async () => {
    expect(await excerpt('Jürgen')).toBe('Etwas anderes.');
  });

  test('Removes marks that stand in the text itself', async () => {
    const id = await contribute(server, { transcript: 'Ein \u0001gefälschter\u0002 Fund von Molybdän\u0003.' });
    expect(await excerpt('Molybdän')).toBe(mark('gefälschter Fund von [Molybdän]'));
    expect((await inbox(ada.client, { limit: 1 })).items[0]).toMatchObject({
      id,
      excerpt: 'Ein gefälschter Fund von Molybdän\u0003.',
    });
    await remove(id);
  });

  test('Finds a word far into a long transcript', async () => {
    const id = await contribute(server, {
      transcript: `${'Viel Rede um nichts. '.repeat(3_000)} Am Ende das Zirkonium.`,
    });
    expect(await excerpt('Zirkonium')).toContain(mark('Am Ende das [Zirkonium]'));
    await remove(id);
  });

  /** Far behind the beginning, where only what looks like the words is read. */
  test.each([
    ['Großmaß', 'ein Großmass steht', '[Großmass]'],
    ['Tränke', 'eine Traenke steht', '[Traenke]'],
    ['TRÄNKE', 'eine tränke steht', '[tränke]'],
    ['"Bohren und Fräsen"', 'Bohren mit Fräsen, dann Bohren und Fräsen zugleich', '[Bohren] und [Fräsen] zugleich'],
    ['Rhodium Iridium', 'Iridium am Anfang, Rhodium am Ende', '[Iridium] am Anfang, [Rhodium] am Ende'],
    ['Osram -Hafnium', 'ein Osram steht', 'ein [Osram] steht'],
    ['Osram or Hafnium', 'ein Hafnium steht', 'ein [Hafnium] steht'],
    [`O'Zink 4711-B`, `mit O'Zink 4711-B gebaut`, '4711'],
    ['Seaborgium', 'Seaborgiumwerk, dann Seaborgium', 'dann [Seaborgium]'],
    ['Dubnium', 'ein Dubniumwerk steht', 'ein [Dubniumwerk] steht'],
    ['Hassiummühle', 'Hassiummühlenrad, Großhassiummuehlen', '[Großhassiummuehlen]'],
  ])('far into a text: %s', async (search, said, expected) => {
    const id = await contribute(server, { transcript: `${'Rede um nichts. '.repeat(200)}${said}.` });
    expect(await excerpt(search)).toContain(mark(expected));
    await remove(id);
  });

  /** A text that is looked through in pieces: 500 characters, then 2,000 each, which share 200. */
  test.each([
    ['where two pieces meet', 492, 'Zirkonium Hafnium', '"Zirkonium Hafnium"', '[Zirkonium] [Hafnium]'],
    ['a word that a piece cuts is none', 494, 'Tantalwerk. Hier ist Tantal.', 'Tantal', 'Hier ist [Tantal]'],
    ['nor one that a later piece cuts', 2_292, 'Lutetiumwerk. Hier ist Lutetium.', 'Lutetium', 'Hier ist [Lutetium]'],
    [
      'further apart than a piece is long',
      10,
      `Rhenium ${'und so fort '.repeat(400)} Osmium`,
      'Rhenium Osmium',
      '[Rhenium]',
    ],
  ])('%s', async (_where, before, said, search, expected) => {
    const id = await contribute(server, { transcript: `${'Rede '.repeat(before / 5).padEnd(before)}${said}` });
    expect(await excerpt(search)).toContain(mark(expected));
    await remove(id);
  });

  /** Else each line that was found by a name would cost as much as its conversation is long (decision 0406). */
  test('Looks through 10,000 characters of what has nothing that looks like the words (threat 11)', async () => {
    const far = `${'Rede um nichts. '.repeat(800)}Ein Rutherfordium steht.`;
    const id = await contribute(server, { transcript: far, lastName: 'Bohrium' });
    expect(await excerpt('Rutherfordium or Lawrencium')).toMatch(/^Rede um nichts/);
    expect(await excerpt('Rutherfordium Bohrium')).toMatch(/^Rede um nichts/);
    expect(await excerpt('Bohrium')).toMatch(/^Rede um nichts/);
    expect(await excerpt('Rutherfordium')).toContain(mark('Ein [Rutherfordium] steht'));
    await remove(id);
  });

  test('Tries twenty places that only look like the words (threat 11)', async () => {
    const only = 'Rede um nichts und noch mehr Rede. Hier ein Unnobeliumwerk, das keines ist. '.repeat(300);
    const id = await contribute(server, { transcript: `${only} Ein Nobelium steht.`, lastName: 'Nobelium' });
    expect(await excerpt('Nobelium')).toMatch(/^Rede um nichts/);
    await remove(id);
  });

  test('Saves a transcript too long for the index and finds its beginning', async () => {
    const words = Array.from({ length: 150_000 }, (_, n) => `wort${n}x`).join(' ');
    const id = await contribute(server, { transcript: `Yttrium ${words}` });
    expect(await idsIn(ada.client, { search: 'Yttrium' })).toEqual([id]);
    expect(await idsIn(ada.client, { search: 'wort50x' })).toEqual([id]);
    await remove(id);
  });

  test('Finds a corrected text and no longer the old one', async () => {
    const id = await contribute(server, { transcript: 'Das alte Vanadium.' });
    await asOwner(server.databaseUrl, (client) =>
      client.query(`update interviews set transcript = 'Das neue Niob.' where id = $1`, [id]),
    );
    expect(await idsIn(ada.client, { search: 'Vanadium' })).toEqual([]);
    expect(await idsIn(ada.client, { search: 'Niob' })).toEqual([id]);
    await remove(id);
    expect(await idsIn(ada.client, { search: 'Niob' })).toEqual([]);
  });
});

const remove = (id: number) =>
  asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
