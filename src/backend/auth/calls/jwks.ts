import { LOOK_AGAIN_AFTER_MS } from '../../keys.ts';
import { publicCall } from '../call.ts';

/** GET /.well-known/jwks.json: the public keys, so that clients and other servers check tokens themselves. */
export const jwks = publicCall({ method: 'GET', url: '/.well-known/jwks.json' }, async ({ context, reply }) => {
  await context.keys.lookIfOlder(LOOK_AGAIN_AFTER_MS);
  return reply.header('cache-control', 'public, max-age=600').send({ keys: context.keys.published() });
});
