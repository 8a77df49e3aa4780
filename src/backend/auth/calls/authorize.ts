import { publicCall } from '../call.ts';
import { depart } from '../external/depart.ts';

/** GET /authorize?provider&redirect_to&scopes&code_challenge…: 302 to another provider. */
export const authorize = publicCall({ method: 'GET', url: '/authorize', limit: 'authorize' }, async (ask) =>
  ask.reply.redirect(await depart(ask), 302),
);
