import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { RelyingParty } from './relying-party.ts';
import { credentialId, credentialOf, storedFrom, used, type StoredCredential } from './stored-credential.ts';

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

type Descriptor = Readonly<{ id: string; transports: string[] }>;

export type Ceremony = Readonly<{ party: RelyingParty; credentials: readonly StoredCredential[]; timeoutMs: number }>;

/** What the browser is asked to make. */
export function creationOptions({ party, credentials, timeoutMs }: Ceremony, user: { id: string; name: string }) {
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userName: user.name,
    userID: new TextEncoder().encode(user.id),
    timeout: timeoutMs,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: credentials.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** What the browser is asked to sign, with any of the credentials. */
export function requestOptions({ party, credentials, timeoutMs }: Ceremony) {
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: timeoutMs,
    allowCredentials: credentials.map(descriptorOf),
    userVerification: 'preferred',
  });
}

const Bytes = z.base64url().max(200_000);
const Common = { id: Bytes, rawId: Bytes, type: z.literal('public-key') };
const Transports = z
  .array(z.string().max(32))
  .max(16)
  .nullish()
  .transform((names) => names ?? []);

export const Attestation = z.object({
  ...Common,
  response: z.object({ clientDataJSON: Bytes, attestationObject: Bytes, transports: Transports }),
});

export const Assertion = z.object({
  ...Common,
  response: z.object({ clientDataJSON: Bytes, authenticatorData: Bytes, signature: Bytes }),
});

/** The credential to keep; undefined where the answer proves none. */
export async function registered(
  answer: z.infer<typeof Attestation>,
  challenge: string,
  party: RelyingParty,
): Promise<{ credential: StoredCredential; aaguid: string } | undefined> {
  const verified = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.originsFor(originOf(answer.response.clientDataJSON)),
    expectedRPID: party.id,
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (verified?.registrationInfo === undefined) return undefined;
  return { credential: storedFrom(verified.registrationInfo), aaguid: verified.registrationInfo.aaguid };
}

/** The same credential, used once more; undefined where the answer is not its own. */
export async function asserted(
  answer: z.infer<typeof Assertion>,
  challenge: string,
  party: RelyingParty,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  const verified = await verifyAuthenticationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.originsFor(originOf(answer.response.clientDataJSON)),
    expectedRPID: party.id,
    credential: credentialOf(stored),
    requireUserVerification: false,
  }).catch(() => undefined);
  return verified?.verified === true ? used(stored, verified.authenticationInfo.newCounter) : undefined;
}

function descriptorOf(stored: StoredCredential): Descriptor {
  return { id: credentialId(stored), transports: [...stored.transport] };
}

const ClientData = z.object({ origin: z.string() });

function originOf(clientDataJSON: string): string {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).origin;
  } catch {
    return '';
  }
}
