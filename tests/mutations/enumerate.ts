import type pg from 'pg';
import { functionMutations, readRoutines, substitutesFor } from './functions.ts';
import type { Mutation } from './mutation.ts';
import { privilegeMutations } from './privileges.ts';
import { constraintMutations, policyMutations, rowSecurityMutations, triggerMutations } from './tables.ts';

/** Every mutation of a migrated database, read from its catalogue: what a migration adds is in it by itself. */
export async function enumerateMutations(client: pg.ClientBase): Promise<Mutation[]> {
  const routines = await readRoutines(client);
  const substitutes = substitutesFor(routines);
  return [
    ...(await privilegeMutations(client)),
    ...(await policyMutations(client, substitutes)),
    ...(await rowSecurityMutations(client)),
    ...(await constraintMutations(client)),
    ...(await triggerMutations(client)),
    ...functionMutations(routines, substitutes),
  ];
}
