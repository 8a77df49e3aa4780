import { strict as assert } from 'node:assert';
import { login, service } from '#tests/support/callers.ts';
import { answer, boundId, foreignId, getAdmin, getValues, must, type Rule, type Scene } from './rules.ts';

const FILTERS = ['area', 'kind', 'finished', 'state', 'assignee', 'created_at'];

const list = (alias: string): string => FILTERS.map((name) => `${alias}.${name}`).join(', ');

const AGREE = `select (${list('s')}) is not distinct from (${list('d')}) as value
  from private.desk_search as s join private.desk_items as d using (interview_id) where interview_id = $1`;

const UNIQUE_LINE = `update private.desk_items set area = 'firma-b', kind = 'document', finished = true, state = 'rejected',
  assignee = $2, created_at = '2026-01-01Z' where interview_id = $1`;

const OUTSIDE = `select pg_column_toast_chunk_id(words) is not null as value from private.desk_search
  where interview_id = $1`;
const WORDS = `update interviews set transcript = (select string_agg('wort' || n, ' ') from generate_series(1, 100) as n)
  where id = $1`;

const STATISTICS = `select jsonb_agg(jsonb_build_array(role, total_interviews, total_media_uploads, users)) as value
  from admin_statistics()`;

const statistics = (scene: Scene): Promise<unknown> => answer(scene, STATISTICS, [], service());

const FOUND = `select interview_id::int as value from private.desk_search where words @@ to_tsquery('german', $1)`;

/** How often the only word of a name stands in its row: as German and as it is written. */
const OFTEN = `select count(*)::int as value from private.desk_search as s, unnest(s.words) as w, unnest(w.positions)
  where interview_id = $1 and lexeme = 'mustermann'`;

/** Rows that repeat what stands elsewhere, so that a search and the figures of /admin read little. */
export const SEARCH_ROW_RULES: readonly Rule[] = [
  {
    name: 'Search: a note is found with its own contribution, the text of another event with none',
    about: ['private.desk_index(bigint[])'],
    check: async (scene) => {
      const ids = [boundId(scene), foreignId(scene)];
      await must(
        scene,
        `insert into private.desk_events (interview_id, what, text)
         values ($1, 'note', 'Vanadium'), ($1, 'state', 'Hafnium'), ($2, 'note', 'Osmium')`,
        ids,
      );
      await must(scene, 'select private.desk_index($1)', [ids]);
      assert.deepEqual(await getValues(scene, FOUND, ['Vanadium']), [boundId(scene)]);
      assert.deepEqual(await getValues(scene, FOUND, ['Hafnium']), []);
    },
  },
  {
    name: 'Search: a note is found as soon as it is written',
    about: ['private.desk_note(private.desk_items,jsonb)'],
    check: async (scene) => {
      const id = boundId(scene);
      const version = await answer(scene, 'select version as value from private.desk_items where interview_id = $1', [
        id,
      ]);
      const note = [id, version, '{"note": "Vanadium"}'];
      await answer(scene, 'select desk_change($1, $2, $3) as value', note, login(getAdmin(scene)));
      assert.deepEqual(await getValues(scene, FOUND, ['Vanadium']), [boundId(scene)]);
    },
  },
  {
    name: 'Search: a name with marks is found without them, and one without is not indexed a second time',
    about: ['private.desk_index(bigint[])'],
    check: async (scene) => {
      await must(scene, `update interviews set user_email = 'Mustèrmann' where id = $1`, [boundId(scene)]);
      await must(scene, 'select private.desk_index($1)', [[boundId(scene)]]);
      assert.equal(await answer(scene, OFTEN, [boundId(scene)]), 2);
      await must(scene, `update interviews set user_email = 'mustermann' where id = $1`, [boundId(scene)]);
      await must(scene, 'select private.desk_index($1)', [[boundId(scene)]]);
      assert.equal(await answer(scene, OFTEN, [boundId(scene)]), 2);
    },
  },
  {
    name: 'Search: a row follows each column of its line that a query filters by, and no other line',
    about: ['private.desk_items', 'on_desk_item_filters', 'private.on_desk_item_filters()'],
    check: async (scene) => {
      for (const change of [
        `area = 'firma-b'`,
        `kind = 'document'`,
        `finished = not finished`,
        `state = 'rejected'`,
        `assignee = '${getAdmin(scene).id}'`,
        `created_at = '2026-01-01Z'`,
      ]) {
        await must(scene, `update private.desk_items set ${change} where interview_id = $1`, [boundId(scene)]);
        assert.equal(await answer(scene, AGREE, [boundId(scene)]), true, change);
        assert.equal(await answer(scene, AGREE, [foreignId(scene)]), true, change);
      }
      await must(scene, 'delete from auth.users where id = $1', [getAdmin(scene).id]);
      assert.equal(await answer(scene, AGREE, [boundId(scene)]), true);
    },
  },
  {
    name: 'Search: a row that is made again has what its line says',
    about: ['private.desk_index(bigint[])'],
    check: async (scene) => {
      await must(scene, UNIQUE_LINE, [boundId(scene), getAdmin(scene).id]);
      await must(scene, 'delete from private.desk_search where interview_id = $1', [boundId(scene)]);
      await must(scene, 'select private.desk_index(array[$1::bigint])', [boundId(scene)]);
      assert.equal(await answer(scene, AGREE, [boundId(scene)]), true);
    },
  },
  {
    name: 'Search: words lie outside of their rows, also after the words or the line changed',
    about: ['private.desk_index(bigint[])', 'private.desk_search', 'private.on_desk_item_filters()'],
    check: async (scene) => {
      await must(scene, WORDS, [boundId(scene)]);
      assert.equal(await answer(scene, OUTSIDE, [boundId(scene)]), true);
      await must(scene, UNIQUE_LINE, [boundId(scene), getAdmin(scene).id]);
      assert.equal(await answer(scene, OUTSIDE, [boundId(scene)]), true);
    },
  },
  {
    name: 'Search: a text made of compounds costs a look at it no more than any other (threat 11)',
    about: ['private.desk_compounds(tsvector,tsquery)'],
    check: async (scene) => {
      const said = (text: string) => `to_tsvector('pg_catalog.german', ${text})`;
      const sought = (text: string) =>
        answer(scene, `select numnode(private.desk_compounds(${said(text)}, 'umbau')) as value`);
      assert.equal(await sought(`'umbauten umbauplan rathausumbau'`), 7);
      const many = `(select string_agg('umbau' || n, ' ') from generate_series(1, 300) as n)`;
      assert.ok(Number(await sought(many)) < 100);
    },
  },
  {
    name: 'Search: an excerpt marks compounds of several words only where one of them is not there as it is written',
    about: ['private.desk_headline(text,tsquery)', 'private.desk_compounds(tsvector,tsquery)'],
    check: async (scene) => {
      const marked = (text: string) =>
        answer(
          scene,
          `select translate(private.desk_headline('${text}', private.desk_words_sought('Umbau Halle')),
            E'\\x01\\x02', '[]') as value`,
        );
      assert.equal(await marked('Umbau der Halle, ein Umbauplan'), '[Umbau] der [Halle], ein Umbauplan');
      assert.equal(await marked('Umbauplan der Halle'), '[Umbauplan] der [Halle]');
    },
  },
  {
    name: 'Statistics: a line that waits to be mended is worked out again (D13)',
    about: ['public.admin_statistics()', 'private.desk_facts(bigint[])'],
    check: async (scene) => {
      const before = await statistics(scene);
      const lines = 'update private.desk_items set files = 99, user_id = $1';
      await must(scene, lines, [getAdmin(scene).id]);
      await must(scene, `insert into private.desk_stale (interview_id, cause) select id, '22000' from interviews`);
      assert.deepEqual(await statistics(scene), before);
    },
  },
  {
    name: 'Statistics: a line knows its account and the newest of its files, as long as they are there (D13)',
    about: ['private.desk_refresh(bigint[])', 'private.desk_facts(bigint[])'],
    check: async (scene) => {
      const facts = `select jsonb_build_array(user_id, latest_file = '2026-02-01Z') as value from private.desk_items
        where interview_id = $1`;
      const { other } = scene.fixture;
      const made = `insert into interviews (user_id, user_email) values ($1, 'x@beispiel.test') returning id as value`;
      const id = Number(await answer(scene, made, [other.id]));
      assert.deepEqual(await answer(scene, facts, [id]), [other.id, null]);
      await must(
        scene,
        `insert into media_uploads (interview_id, file_path, file_type, created_at)
         values ($1, $1::bigint || '/a.png', 'image/png', '2026-02-01Z'),
           ($1, $1::bigint || '/b.png', 'image/png', '2026-01-01Z')`,
        [id],
      );
      assert.deepEqual(await answer(scene, facts, [id]), [other.id, true]);
      await must(scene, `delete from media_uploads where interview_id = $1 and created_at = '2026-02-01Z'`, [id]);
      await must(scene, 'delete from auth.users where id = $1', [other.id]);
      assert.deepEqual(await answer(scene, facts, [id]), [null, false]);
    },
  },
];
