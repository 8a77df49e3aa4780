import { z } from 'zod';
import { Text } from '../body.ts';

/** Members of every grant; each grant reads its own. */
export const TokenBody = z.object({
  email: Text,
  phone: Text,
  password: Text,
  refresh_token: Text,
  auth_code: Text,
  code_verifier: Text,
});
export type TokenBody = z.infer<typeof TokenBody>;
