import { strict as assert } from 'node:assert';
import { service } from '#tests/support/callers.ts';
import {
  getAdmin,
  answer,
  boundId,
  foreignId,
  getId,
  getMember,
  must,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';

/** A letter is one mail about all contributions that wait for a mailbox (decision 0124). Its rows share its claim. */
type Row = Readonly<{
  key: string;
  box?: 'team' | 'chief';
  mail?: 'new' | 'published';
  state?: 'waiting' | 'claimed' | 'sending' | 'sent' | 'refused' | 'unsure' | 'no_address';
  claim?: string;
  /** Seconds from now; negative: ago. */
  due?: number;
  told?: number;
  created?: number;
  /** Rows of its letter. */
  rows?: number;
}>;

const WORKER = '00000000-0000-4000-8000-00000000000a';
const OTHER_WORKER = '00000000-0000-4000-8000-00000000000b';
const [MINUTE, DAY] = [60, 86_400];
const BOXES = { team: 'team@beispiel.test', chief: 'chefin@beispiel.test' };

const INSERT = `
  insert into private.desk_mails
    (key, interview_id, mail, address, state, claim, due_at, told_at, created_at, letter_rows)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7),
    clock_timestamp() + make_interval(secs => $8), now() + make_interval(secs => $9), $10)`;

/** The rows are about a contribution each. Returns the contribution of each row by its key. */
async function queue(scene: Scene, rows: readonly Row[]): Promise<ReadonlyMap<string, number>> {
  const { contributions } = scene.fixture;
  const ids = [
    boundId(scene),
    foreignId(scene),
    getId(contributions, getAdmin(scene).id),
    getId(contributions, getMember(scene, 'firma_a').id),
  ];
  await must(scene, 'delete from private.desk_mails');
  await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
  for (const [at, row] of rows.entries()) {
    const { key, box = 'team', mail = 'new', state = 'waiting', claim, due = at - MINUTE, told, created = 0 } = row;
    await must(scene, INSERT, [key, ids[at], mail, BOXES[box], state, claim, due, told, created, row.rows]);
  }
  return new Map(rows.map(({ key }, at) => [key, ids[at] ?? 0]));
}

/** Every row as it is, by its key. */
async function readRows(scene: Scene): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const rows = await getValues(scene, 'select to_jsonb(m) as value from private.desk_mails as m order by id');
  return new Map((rows as Array<Record<string, unknown>>).map((row) => [String(row['key']), row]));
}

type Letter = Readonly<{ id: number; claim: string; count?: number; others?: ReadonlyArray<{ contribution: number }> }>;
const claimLetter = async (scene: Scene) =>
  (await answer(scene, 'select desk_mail_claim() as value', [], service())) as Letter | null;

type ClaimCase = Readonly<{
  name: string;
  rows: readonly Row[];
  /** Seconds between two letters to a mailbox; 900 where none is given. */
  pause?: number;
  /** The keys of the rows in the letter, the first one leading. */
  letter: readonly string[];
  /** The keys of the rows that wait for the end of the pause. */
  delayed?: readonly string[];
}>;

const FIRST: Row = { key: 'first' };
const NEXT: Row = { key: 'next', box: 'chief' };
const TOLD: Row = { key: 'told', state: 'sent', told: -MINUTE };

const CLAIM_CASES: readonly ClaimCase[] = [
  {
    name: 'holds all that waits for the mailbox, due or not',
    rows: [FIRST, { key: 'second' }, { key: 'third', due: DAY }],
    letter: ['first', 'second', 'third'],
  },
  { name: 'leaves what is for another mailbox', rows: [FIRST, NEXT], letter: ['first'] },
  {
    name: 'leaves a mail to a contributor',
    rows: [FIRST, { key: 'published', mail: 'published' }],
    letter: ['first'],
  },
  {
    name: 'leaves what another worker holds',
    rows: [FIRST, { key: 'held', state: 'claimed', claim: OTHER_WORKER, told: -MINUTE, due: MINUTE }],
    pause: 0,
    letter: ['first'],
  },
  {
    name: 'takes over what another worker did not begin in time, without a pause',
    rows: [FIRST, { key: 'lost', state: 'claimed', claim: OTHER_WORKER, told: -2 * MINUTE, due: -1 }],
    letter: ['first', 'lost'],
  },
  { name: 'leaves what is a week old', rows: [FIRST, { key: 'old', created: -8 * DAY }], letter: ['first'] },
  ...(['sending', 'sent', 'refused', 'unsure', 'no_address'] as const).map((state) => ({
    name: `leaves what is ${state}`,
    rows: [FIRST, { key: state, state }],
    letter: ['first'],
  })),
  {
    name: 'waits for the pause after the last one to the same mailbox',
    rows: [FIRST, TOLD, NEXT],
    letter: ['next'],
    delayed: ['first'],
  },
  {
    name: 'waits for no pause after one that was sent while the clock was days ahead',
    rows: [FIRST, { key: 'told', state: 'sent', told: 30 * DAY }],
    letter: ['first'],
  },
  {
    name: 'waits after one that was sent just before the clock was set back a little',
    rows: [FIRST, { key: 'told', state: 'sent', told: 30 * MINUTE }, NEXT],
    letter: ['next'],
    delayed: ['first'],
  },
  {
    name: 'waits while another worker holds one to the same mailbox, which stays as it is',
    rows: [FIRST, { key: 'held', state: 'claimed', claim: OTHER_WORKER, told: -MINUTE, due: MINUTE }, NEXT],
    letter: ['next'],
    delayed: ['first'],
  },
  {
    name: 'delays what is due, and nothing that waits longer',
    rows: [FIRST, TOLD, { key: 'second' }, { key: 'tomorrow', due: DAY }],
    letter: [],
    delayed: ['first', 'second'],
  },
  {
    name: 'delays no mail to a contributor',
    rows: [FIRST, TOLD, { key: 'published', mail: 'published' }],
    letter: ['published'],
    delayed: ['first'],
  },
  {
    name: 'does not wait after a mail to a contributor',
    rows: [FIRST, { key: 'published', mail: 'published', state: 'sent', told: -MINUTE }],
    letter: ['first'],
  },
  {
    name: 'does not wait after one that did not leave',
    rows: [FIRST, { key: 'back', told: -MINUTE, due: DAY }],
    letter: ['first', 'back'],
  },
  {
    name: 'does not wait after one without an address',
    rows: [FIRST, { key: 'nowhere', state: 'no_address', told: -MINUTE, due: DAY }],
    letter: ['first'],
  },
];

const CLAIM_ABOUT = [
  'public.desk_mail_claim()',
  'private.desk_mail_gather(private.desk_mails)',
  'private.desk_mail_pause_ends(text)',
];

function claimRule({ name, rows, pause = 900, letter, delayed = [] }: ClaimCase): Rule {
  return {
    name: `Letters: one ${name} (decision 0124)`,
    about: CLAIM_ABOUT,
    check: async (scene) => {
      const contributions = await queue(scene, rows);
      await must(scene, 'select desk_mail_set_pause($1)', [pause]);
      const before = await readRows(scene);
      const taken = await claimLetter(scene);
      const after = await readRows(scene);
      const inLetter = [...after].filter(([, row]) => taken !== null && row['claim'] === taken.claim);
      assert.deepEqual(
        inLetter.map(([key, row]) => [key, row['state'], row['attempts']]),
        letter.map((key) => [key, 'claimed', 1]),
      );
      if (taken?.count !== undefined) {
        assert.equal(taken.id, before.get(letter[0] ?? '')?.['id']);
        assert.equal(taken.count, letter.length);
        assert.deepEqual(
          taken.others?.map(({ contribution }) => contribution),
          letter.slice(1).map((key) => contributions.get(key)),
        );
      }
      for (const [key, row] of after) {
        if (delayed.includes(key)) {
          const { due_at } = row;
          assert.deepEqual(row, { ...before.get(key), due_at, state: 'waiting', claim: null });
          assert.ok(String(due_at) > String(before.get(key)?.['due_at']));
        } else if (!letter.includes(key)) assert.deepEqual(row, before.get(key));
      }
    },
  };
}

type BeginCase = Readonly<{ name: string; rows: readonly Row[]; begun: readonly string[] }>;

const held = (key: string, rows: number, state: Row['state'] = 'claimed', claim = WORKER): Row => ({
  key,
  state,
  claim,
  due: MINUTE,
  told: 0,
  rows,
});

const BEGIN_CASES: readonly BeginCase[] = [
  { name: 'begins with all its rows', rows: [held('first', 2), held('second', 2)], begun: ['first', 'second'] },
  {
    name: 'begins alone beside one of another worker',
    rows: [held('first', 1), held('other', 1, 'claimed', OTHER_WORKER)],
    begun: ['first'],
  },
  { name: 'does not begin once a row of it is erased', rows: [held('first', 2)], begun: [] },
  {
    name: 'does not begin once a row of it has ended',
    rows: [held('first', 2), held('ended', 2, 'unsure')],
    begun: [],
  },
  {
    name: 'begins without a row that ended before it was taken',
    rows: [held('first', 1), held('ended', 1, 'unsure')],
    begun: ['first'],
  },
  { name: 'does not begin twice', rows: [held('first', 1, 'sending')], begun: [] },
  { name: 'does not begin for another worker', rows: [held('first', 1, 'claimed', OTHER_WORKER)], begun: [] },
];

const beginRule = ({ name, rows, begun }: BeginCase): Rule => ({
  name: `Letters: one ${name} (decision 0124)`,
  about: ['public.desk_mail_begin(bigint,uuid)'],
  check: async (scene) => {
    await queue(scene, rows);
    const before = await readRows(scene);
    const id = before.get('first')?.['id'];
    const began = await answer(scene, 'select desk_mail_begin($1, $2) as value', [id, WORKER], service());
    assert.equal(began, begun.length > 0);
    for (const [key, row] of await readRows(scene)) {
      if (begun.includes(key)) assert.equal(row['state'], 'sending');
      else assert.deepEqual(row, before.get(key));
    }
  },
});

export const LETTER_RULES: readonly Rule[] = [...CLAIM_CASES.map(claimRule), ...BEGIN_CASES.map(beginRule)];
