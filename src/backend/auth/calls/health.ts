import { publicCall } from '../call.ts';

// The version of the contract that is spoken here (supabase-contract §1).
const VERSION = 'v2.196.0';

/** GET /health: whether this service answers; the server's own /health tells about its database. */
export const health = publicCall({ method: 'GET', url: '/health' }, async () => ({
  version: VERSION,
  name: 'GoTrue',
  description: 'GoTrue is a user registration and authentication API',
}));
