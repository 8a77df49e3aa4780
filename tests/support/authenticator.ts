import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** Challenge and relying party as they come in the options of a ceremony. */
type CreateOptions = Readonly<{ challenge: string; rp: Readonly<{ id?: string }> }>;
type RequestOptions = Readonly<{
  challenge: string;
  rpId?: string;
  allowCredentials?: readonly Readonly<{ id: string }>[];
}>;

export type Authenticator = Readonly<{
  create: (options: CreateOptions) => Created;
  get: (options: RequestOptions) => Signed;
}>;

type Common = Readonly<{
  id: string;
  rawId: string;
  type: 'public-key';
  clientExtensionResults: Record<string, never>;
}>;
export type Created = Common & Readonly<{ response: { clientDataJSON: string; attestationObject: string } }>;
export type Signed = Common &
  Readonly<{ response: { clientDataJSON: string; authenticatorData: string; signature: string } }>;

export type AuthenticatorFacts = Readonly<{
  /** The page it believes to be used on. */
  origin: string;
  /** Of the page, where it is not the host of the options. */
  rpId?: string;
}>;

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

/** A security key in software: ES256, attestation 'none', one credential, a counter that counts. */
export function createAuthenticator({ origin, rpId }: AuthenticatorFacts): Authenticator {
  const id = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let counter = 0;
  const common: Common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  };
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = (site: string | undefined, flags: number, rest: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE((counter += 1), 1);
    return Buffer.concat([sha256(Buffer.from(rpId ?? site ?? '')), head, rest]);
  };
  return {
    create: ({ challenge, rp }) => {
      const length = Buffer.from([0, id.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const data = authData(rp.id, PRESENT | VERIFIED | WITH_CREDENTIAL, credential);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation(data).toString('base64url'),
      };
      return { ...common, response };
    },
    get: (options) => {
      const client = clientData('webauthn.get', options.challenge);
      const data = authData(options.rpId, PRESENT | VERIFIED, Buffer.alloc(0));
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      };
      return { ...common, response };
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** CBOR, as far as it is needed: `{fmt: "none", attStmt: {}, authData: bytes}`. */
function attestation(authData: Buffer): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    bytes(authData),
  ]);
}

/** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}`: an ES256 key of RFC 9053. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ]);
}

function bytes(value: Buffer): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
