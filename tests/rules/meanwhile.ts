import { strict as assert } from 'node:assert';
import { attempt, login, probe, service, type Outcome } from '#tests/support/callers.ts';
import { commitMeanwhile, undo } from './commit-meanwhile.ts';
import { answer, boundId, getMember, must, mustBeRefused, mustWork, type Rule } from './rules.ts';

/*
 * What comes of a call that waits for another connection, which commits meanwhile. What it commits stays, so it removes
 * that again. See locks.ts.
 */
const watches = 'these';

const HOLDER = '00000000-0000-4000-8000-00000000000a';
const NEXT = '00000000-0000-4000-8000-00000000000b';

const getValue = async (outcome: Promise<Outcome>): Promise<unknown> => (await mustWork(outcome)).rows[0]?.['value'];

export const MEANWHILE_RULES: readonly Rule[] = [
  {
    name: 'Meanwhile: a mail that another server has taken on gets no key of the server before (posts)',
    about: ['public.review_mail_key(bigint,uuid,text)'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        const insert = `insert into private.desk_mails (key, interview_id, mail, state, claim)
          values ('meanwhile', $1, 'review', 'claimed', $2) returning id`;
        const { rows } = await other.query<{ id: string }>(insert, [boundId(scene), HOLDER]);
        try {
          await other.query('begin');
          await other.query('select from private.desk_items where interview_id = $1 for update', [boundId(scene)]);
          await other.query(`update private.desk_mails set claim = $1 where key = 'meanwhile'`, [NEXT]);
          const key = 'select review_mail_key($1, $2, $3) as value';
          const made = () => getValue(probe(scene.database, service(), key, [rows[0]?.id, HOLDER, 'a'.repeat(64)]));
          assert.equal(await commitMeanwhile(scene, other, made), false);
        } finally {
          await other.query(`rollback; delete from private.desk_mails where key = 'meanwhile'`);
        }
      }),
  },
  {
    name: 'Meanwhile: of two texts that servers require at once the later one is required (0267)',
    about: ['private.require_consent(text)'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        try {
          await other.query(`begin; select private.require_consent('Die erste Fassung.')`);
          const required = (): Promise<unknown> =>
            undo(scene, async () => {
              await must(scene, `select private.require_consent('Die zweite Fassung.')`);
              return answer(scene, 'select text as value from private.consent_texts where required');
            });
          assert.equal(await commitMeanwhile(scene, other, required), 'Die zweite Fassung.');
        } finally {
          await other.query('rollback; delete from private.consent_texts');
        }
      }),
  },
  {
    name: 'Meanwhile: the same retention asked for at once is one erasure',
    about: ['public.desk_retain(timestamp with time zone,uuid)'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        const retain = `select desk_retain('2020-01-01', null) as value`;
        try {
          await other.query('begin');
          const { rows } = await other.query<{ value: string }>(retain);
          const again = () => getValue(probe(scene.database, service(), retain));
          assert.equal(await commitMeanwhile(scene, other, again), rows[0]?.value);
        } finally {
          await other.query('rollback; delete from private.erasures');
        }
      }),
  },
  {
    name: 'Meanwhile: an answer about a file that waited while the contact details were saved is none (image rights)',
    about: ['public.answer_image_rights(text,text)'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        const member = getMember(scene, 'firma_a');
        const begun = `insert into interviews (user_id) values ($1) returning id`;
        const { rows } = await other.query<{ id: string }>(begun, [member.id]);
        const [id, path] = [rows[0]?.id, `${rows[0]?.id}/9_a.png`];
        try {
          const columns = 'interview_id, file_path, file_type';
          await other.query(`insert into media_uploads (${columns}) values ($1, $2, 'image/png')`, [id, path]);
          await other.query('begin');
          await other.query(`update media_uploads set image_rights = 'agreed' where file_path = $1`, [path]);
          await other.query(`update interviews set contact_email = 'ada@beispiel.test' where id = $1`, [id]);
          const tell = `select answer_image_rights($1, 'nobody') as value`;
          const told = () => getValue(probe(scene.database, login(member), tell, [path]));
          assert.equal(await commitMeanwhile(scene, other, told), false);
        } finally {
          await other.query('rollback');
          await other.query('delete from interviews where id = $1', [id]);
          await other.query('delete from private.desk_removals');
        }
      }),
  },
  {
    name: 'Meanwhile: a contribution that the desk notes as published while it is discarded stays (0420)',
    about: ['public.discard_contribution(bigint)'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        const member = getMember(scene, 'firma_a');
        const begun = `insert into interviews (user_id) values ($1) returning id`;
        const { rows } = await other.query<{ id: string }>(begun, [member.id]);
        const id = rows[0]?.id;
        const discard = () => attempt(scene.database, login(member), 'select discard_contribution($1)', [id]);
        try {
          await other.query('begin');
          await other.query('select from private.desk_items where interview_id <> $1 for update', [id]);
          // A lock on another contribution's line does not block it.
          await mustWork(undo(scene, discard));
          await other.query('rollback; begin');
          await other.query(`update private.desk_items set state = 'published' where interview_id = $1`, [id]);
          await undo(scene, () => mustBeRefused(commitMeanwhile(scene, other, discard), 'PT409'));
        } finally {
          await other.query('rollback');
          await other.query('delete from interviews where id = $1', [id]);
          await other.query('delete from private.desk_removals');
        }
      }),
  },
];
