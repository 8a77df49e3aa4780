import { isIP } from 'node:net';
import type { VerifiedRegistrationResponse, WebAuthnCredential } from '@simplewebauthn/server';
import { z } from 'zod';
import type { ProjectConfig } from '../../config.ts';

/** Loaded at the first passkey: the library reads many formats of certificates. */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

export type Ceremony = Readonly<{ party: RelyingParty; credentials: readonly StoredCredential[]; timeoutMs: number }>;

/** Options for the browser to create a passkey. */
export async function buildCreationOptions(
  { party, credentials, timeoutMs }: Ceremony,
  user: { id: string; name: string },
) {
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userName: user.name,
    userID: new TextEncoder().encode(user.id),
    timeout: timeoutMs,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: credentials.map(toDescriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** Options for the browser to sign with any of the passkeys. */
export async function buildRequestOptions({ party, credentials, timeoutMs }: Ceremony) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: timeoutMs,
    allowCredentials: credentials.map(toDescriptor),
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

/** Returns the credential to store; undefined where the response is not valid. */
export async function verifyRegistration(
  answer: z.infer<typeof Attestation>,
  challenge: string,
  party: RelyingParty,
): Promise<{ credential: StoredCredential; aaguid: string } | undefined> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.originsFor(readOrigin(answer.response.clientDataJSON)),
    expectedRPID: party.id,
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (verified?.registrationInfo === undefined) return undefined;
  return { credential: toStoredCredential(verified.registrationInfo), aaguid: verified.registrationInfo.aaguid };
}

/** Returns the credential with the counter of the response; undefined where the response is not valid. */
export async function verifyAssertion(
  answer: z.infer<typeof Assertion>,
  challenge: string,
  party: RelyingParty,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verified = await verifyAuthenticationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.originsFor(readOrigin(answer.response.clientDataJSON)),
    expectedRPID: party.id,
    credential: toCredential(stored),
    requireUserVerification: false,
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const signCount = verified.authenticationInfo.newCounter;
  return { ...stored, authenticator: { ...stored.authenticator, signCount } };
}

function toDescriptor(stored: StoredCredential) {
  return { id: getCredentialId(stored), transports: [...stored.transport] };
}

const ClientData = z.object({ origin: z.string() });

function readOrigin(clientDataJSON: string): string {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).origin;
  } catch {
    return '';
  }
}

type RelyingParty = Readonly<{
  id: string;
  name: string;
  /** The origins that may respond; `claimed` is the origin in the response. */
  originsFor: (claimed: string) => string[];
}>;

const LOCAL = /^http:\/\/localhost(:\d{1,5})?$/;

/**
 * Reads `[auth.webauthn]`, with the site as the default. A browser accepts no IP address as a name, so a site on the
 * loopback address is `localhost` at any port.
 */
export function resolveRelyingParty(auth: Pick<ProjectConfig['auth'], 'site_url' | 'webauthn'>): RelyingParty {
  const site = new URL(auth.site_url);
  const named = isIP(site.hostname.replaceAll(/[[\]]/g, '')) === 0;
  const id = auth.webauthn.rp_id ?? (named ? site.hostname : 'localhost');
  const configured = auth.webauthn.rp_origins?.map((origin) => new URL(origin).origin);
  return {
    id,
    name: auth.webauthn.rp_display_name ?? id,
    originsFor: (claimed) => {
      if (configured !== undefined) return configured;
      if (named && site.hostname !== 'localhost') return [site.origin];
      return LOCAL.test(claimed) ? [claimed] : [];
    },
  };
}

/**
 * A passkey as stored: upstream's form (the credential of go-webauthn), so that factors can be moved. Bytes are base64
 * with padding here, base64url in the library and the browser.
 */
export type StoredCredential = Readonly<{
  id: string;
  publicKey: string;
  attestationType: string;
  transport: readonly string[];
  flags: Readonly<{ userPresent: boolean; userVerified: boolean; backupEligible: boolean; backupState: boolean }>;
  authenticator: Readonly<{ AAGUID: string; signCount: number; cloneWarning: boolean; attachment: string }>;
}>;

function toStoredCredential(info: NonNullable<VerifiedRegistrationResponse['registrationInfo']>): StoredCredential {
  const { credential } = info;
  return {
    id: Buffer.from(credential.id, 'base64url').toString('base64'),
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    attestationType: info.fmt,
    transport: credential.transports ?? [],
    flags: {
      userPresent: true,
      userVerified: info.userVerified,
      backupEligible: info.credentialDeviceType === 'multiDevice',
      backupState: info.credentialBackedUp,
    },
    authenticator: {
      AAGUID: Buffer.from(info.aaguid.replaceAll('-', ''), 'hex').toString('base64'),
      signCount: credential.counter,
      cloneWarning: false,
      attachment: '',
    },
  };
}

export function getCredentialId(stored: StoredCredential): string {
  return Buffer.from(stored.id, 'base64').toString('base64url');
}

function toCredential(stored: StoredCredential): WebAuthnCredential {
  return {
    id: getCredentialId(stored),
    publicKey: new Uint8Array(Buffer.from(stored.publicKey, 'base64')),
    counter: stored.authenticator.signCount,
    transports: [...stored.transport],
  };
}
