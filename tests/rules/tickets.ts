import { strict as assert } from 'node:assert';
import { anon, login } from '#tests/support/callers.ts';
import { getAdmin, answer, must, getValues, type Rule, type Scene } from './rules.ts';

const keep = (scene: Scene, id: string) =>
  answer(scene, `select desk_ticket_keep($1, '0a') as value`, [id], login(getAdmin(scene)));
const redeem = (scene: Scene, id: string) => answer(scene, 'select desk_ticket_redeem($1) as value', [id], anon());
const tickets = (scene: Scene) =>
  getValues(scene, `select jsonb_build_array(encode(id, 'hex'), owner) as value from private.desk_tickets order by id`);

export const TICKET_RULES: readonly Rule[] = [
  {
    name: 'Tickets: one opens once, and only what it stands for',
    about: ['public.desk_ticket_redeem(text)', 'public.desk_ticket_keep(text,text)'],
    check: async (scene) => {
      await keep(scene, '01');
      await keep(scene, '02');
      assert.equal(await redeem(scene, '03'), null);
      assert.equal(await redeem(scene, '01'), '0a');
      assert.equal(await redeem(scene, '01'), null);
      assert.deepEqual(await tickets(scene), [['02', getAdmin(scene).id]]);
    },
  },
  {
    name: 'Tickets: one past its time opens nothing, and goes',
    about: ['public.desk_ticket_redeem(text)', 'public.desk_ticket_keep(text,text)'],
    check: async (scene) => {
      await keep(scene, '01');
      await keep(scene, '02');
      await must(scene, `update private.desk_tickets set expires_at = clock_timestamp() - interval '1 second'`);
      assert.equal(await redeem(scene, '01'), null);
      await keep(scene, '03');
      assert.deepEqual((await tickets(scene)).length, 1);
    },
  },
  {
    name: 'Tickets: an administrator keeps a hundred, whatever others keep',
    about: ['public.desk_ticket_keep(text,text)'],
    check: async (scene) => {
      const many = `insert into private.desk_tickets (id, owner, sealed)
        select sha256(($1 || n)::bytea), $1::text::uuid, '' from generate_series(1, 102) as n`;
      await must(scene, many, [getAdmin(scene).id]);
      await must(scene, many, [scene.fixture.other.id]);
      await keep(scene, '01');
      const kept = `select jsonb_agg(kept order by kept) as value from (select count(*) as kept
        from private.desk_tickets group by owner) as each`;
      assert.deepEqual(await answer(scene, kept), [100, 102]);
    },
  },
];
