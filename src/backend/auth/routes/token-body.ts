import { z } from 'zod';
import { Flag, Text } from '../body.ts';

/** Members of every grant; each grant reads its own. */
export const TokenBody = z.object({
  email: Text,
  phone: Text,
  password: Text,
  refresh_token: Text,
  auth_code: Text,
  code_verifier: Text,
  id_token: Text,
  access_token: Text,
  nonce: Text,
  provider: Text,
  client_id: Text,
  issuer: Text,
  link_identity: Flag,
});
export type TokenBody = z.infer<typeof TokenBody>;
