import type { VerifiedRegistrationResponse, WebAuthnCredential } from '@simplewebauthn/server';

/**
 * A passkey as the database keeps it: upstream's form (the credential of go-webauthn), so that factors can be moved. Bytes
 * are base64 with padding there, base64url in the library's and the browser's hands.
 */
export type StoredCredential = Readonly<{
  id: string;
  publicKey: string;
  attestationType: string;
  transport: readonly string[];
  flags: Readonly<{ userPresent: boolean; userVerified: boolean; backupEligible: boolean; backupState: boolean }>;
  authenticator: Readonly<{ AAGUID: string; signCount: number; cloneWarning: boolean; attachment: string }>;
}>;

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;

export function storedFrom(info: Registration): StoredCredential {
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

export function credentialId(stored: StoredCredential): string {
  return Buffer.from(stored.id, 'base64').toString('base64url');
}

export function credentialOf(stored: StoredCredential): WebAuthnCredential {
  return {
    id: credentialId(stored),
    publicKey: new Uint8Array(Buffer.from(stored.publicKey, 'base64')),
    counter: stored.authenticator.signCount,
    transports: [...stored.transport],
  };
}

/** After an answer: how often it was used by now. */
export function used(stored: StoredCredential, signCount: number): StoredCredential {
  return { ...stored, authenticator: { ...stored.authenticator, signCount } };
}
