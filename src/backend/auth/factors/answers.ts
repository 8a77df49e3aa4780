import type { z } from 'zod';
import type { FactorType } from '../records/factors.ts';
import { FACTOR_FAULTS } from './faults.ts';
import { Assertion, Attestation } from './webauthn.ts';

/** What somebody shows: a code, a new passkey, or the signature of one. */
export type Answer =
  | Readonly<{ kind: 'code'; code: string }>
  | Readonly<{ kind: 'create'; credential: z.infer<typeof Attestation> }>
  | Readonly<{ kind: 'request'; credential: z.infer<typeof Assertion> }>;

type Given = Readonly<{
  code: string;
  webauthn?: Readonly<{ type: string; credential_response?: unknown }> | null | undefined;
}>;

/** Throws AuthError 400 where it has not the form of an answer to this kind of factor. */
export function readAnswer(type: FactorType, { code, webauthn }: Given): Answer {
  if (type !== 'webauthn') {
    if (code === '') throw FACTOR_FAULTS.emptyCode();
    return { kind: 'code', code };
  }
  if (webauthn === undefined || webauthn === null) throw FACTOR_FAULTS.webAuthnNeeded();
  switch (webauthn.type) {
    case 'create':
      return { kind: 'create', credential: read(Attestation, webauthn.credential_response) };
    case 'request':
      return { kind: 'request', credential: read(Assertion, webauthn.credential_response) };
    default:
      throw FACTOR_FAULTS.webAuthnType();
  }
}

function read<Credential>(schema: z.ZodType<Credential>, given: unknown): Credential {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw FACTOR_FAULTS.badResponse();
}
