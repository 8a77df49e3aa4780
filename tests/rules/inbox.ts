import { strict as assert } from 'node:assert';
import { login } from '#tests/support/callers.ts';
import { getAdmin, answer, boundId, foreignId, must, getValues, type Rule, type Scene } from './rules.ts';

type Page = Readonly<{ items: ReadonlyArray<Record<string, unknown>>; next: string | null }>;

const readInbox = async (scene: Scene, query: unknown): Promise<Page> =>
  (await answer(scene, 'select desk_inbox($1) as value', [JSON.stringify(query)], login(getAdmin(scene)))) as Page;

const INBOX = ['public.desk_inbox(jsonb)'];

export const INBOX_RULES: readonly Rule[] = [
  {
    name: 'Inbox: a page leads to the next one, the last page to none',
    about: INBOX,
    check: async (scene) => {
      const ids = await getValues(scene, 'select interview_id::int as value from private.desk_items order by 1');
      const first = await readInbox(scene, { limit: ids.length - 1 });
      assert.equal(typeof first.next, 'string');
      const second = await readInbox(scene, { limit: ids.length - 1, after: first.next });
      assert.equal(second.next, null);
      const shown = [...first.items, ...second.items].map(({ id }) => Number(id));
      assert.deepEqual(
        shown.toSorted((a, b) => a - b),
        ids,
      );
      assert.equal((await readInbox(scene, { limit: ids.length })).next, null);
    },
  },
  {
    name: 'Inbox: an excerpt shows what was sought',
    about: [...INBOX, 'private.desk_lines(bigint[],tsquery)'],
    check: async (scene) => {
      const transcript = `${'Anfang '.repeat(100)} Wälzlager`;
      await must(scene, 'update interviews set transcript = $1 where id = $2', [transcript, boundId(scene)]);
      const [found, ...others] = (await readInbox(scene, { search: 'Wälzlager' })).items;
      assert.deepEqual([Number(found?.['id']), others], [boundId(scene), []]);
      assert.match(String(found?.['excerpt']), /Wälzlager/);
    },
  },
  {
    name: 'Inbox: in quotation marks a word finds itself, and no compound of it (0398)',
    about: INBOX,
    check: async (scene) => {
      const write = 'update interviews set transcript = $1 where id = $2';
      await must(scene, write, ['Eine Prüfmaschine', boundId(scene)]);
      await must(scene, write, ['Eine Maschine', foreignId(scene)]);
      const find = async (search: string) => (await readInbox(scene, { search })).items.map(({ id }) => Number(id));
      assert.deepEqual(new Set(await find('Maschine')), new Set([boundId(scene), foreignId(scene)]));
      assert.deepEqual(await find('"Maschine"'), [foreignId(scene)]);
    },
  },
  {
    name: 'Inbox: five answers are not read as one sentence',
    about: [...INBOX, 'private.desk_lines(bigint[],tsquery)'],
    check: async (scene) => {
      const answers = JSON.stringify({ who: 'Linie 2', what: ' Ohne Blei ', when: '', where: ' ', why: 'Drei Jahre' });
      const write = 'update interviews set transcript = null, w_questions_answers = $1 where id = $2';
      await must(scene, write, [answers, boundId(scene)]);
      const read = async (search: string) => {
        const { items } = await readInbox(scene, { limit: 200, search });
        return items.find(({ id }) => Number(id) === boundId(scene))?.['excerpt'];
      };
      assert.equal(await read(''), 'Linie 2 · Ohne Blei · Drei Jahre');
      assert.equal(await read('Blei'), 'Linie 2 · Ohne \u0001Blei\u0002 · Drei Jahre');
    },
  },
  {
    name: 'Inbox: a contribution without an assignee shows no address of one',
    about: ['private.desk_lines(bigint[],tsquery)'],
    check: async (scene) => {
      const assign = 'update private.desk_items set assignee = $1 where interview_id = $2';
      await must(scene, assign, [getAdmin(scene).id, boundId(scene)]);
      const { items } = await readInbox(scene, { limit: 200 });
      const address = (of: number) => items.find(({ id }) => Number(id) === of)?.['assigneeEmail'];
      assert.equal(address(boundId(scene)), getAdmin(scene).email);
      assert.equal(address(foreignId(scene)), null);
    },
  },
];
