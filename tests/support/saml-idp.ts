import { generateKeyPairSync, randomUUID } from 'node:crypto';
import * as samlify from 'samlify';
import { selfSignedCertificate } from '#backend/auth/saml/key.ts';

/** Everything a response says; a test changes what it wants to be wrong. */
export type Said = Readonly<{
  issuer: string;
  audience: string;
  recipient: string;
  destination: string;
  /** Empty: the attribute is missing. */
  inResponseTo: string;
  nameId: string;
  nameIdFormat: string;
  attributes: Readonly<Record<string, string[]>>;
  assertionId: string;
  /** Seconds from now. */
  from: number;
  until: number;
  sessionUntil: number | undefined;
  status: string;
}>;

export type Posted = Readonly<{ SAMLResponse: string; RelayState: string }>;

export type SamlIdp = Readonly<{
  entityId: string;
  metadata: string;
  /** Where its answers are posted to. */
  acs: string;
  /**
   * What the browser posts back after signing in at the address this backend sent it to; checks the request's
   * signature.
   */
  answer: (url: string, email: string, change?: Partial<Said>) => Promise<Posted>;
  /** What it posts when the identity provider began. */
  unasked: (email: string, change?: Partial<Said>, relayState?: string) => Promise<Posted>;
}>;

export type IdpOptions = Readonly<{
  /** How it signs; SHA-1 is for a test only. */
  algorithm?: 'sha1';
  /** What of the response is signed. */
  signs?: 'assertion' | 'message' | 'nothing';
  /** As somebody else would sign. */
  key?: 'another';
  /** Where people sign in; see saml-pages.ts. */
  location?: string;
  /** Encrypts its assertions, for the key in this service's metadata. */
  encrypts?: 'usual' | 'weakly';
}>;

samlify.setSchemaValidator({ validate: async () => 'checked by the library' });

export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

const RSA_1_5 = 'http://www.w3.org/2001/04/xmlenc#rsa-1_5';

const KEY_COUNT = 4;
const keys: string[] = [];
let keysHandedOut = 0;

/** One of a few keys, in turn: generating a key is slow. The last three calls returned other keys. */
function takeKey(): string {
  const key = (keys[keysHandedOut % KEY_COUNT] ??= generateKey());
  keysHandedOut += 1;
  return key;
}

function generateKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

/**
 * An identity provider of a company on the loopback address; unless `location` says where, nothing listens and its
 * redirects are only looked at.
 */
export function createSamlIdp(spMetadata: string, options: IdpOptions = {}): SamlIdp {
  const entityId = `https://idp-${randomUUID()}.test/metadata`;
  const published = takeKey();
  const signAlgorithm =
    options.algorithm === 'sha1'
      ? 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
      : 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  const settings = {
    entityID: entityId,
    signingCert: selfSignedCertificate(published, 'idp.test'),
    wantAuthnRequestsSigned: true,
    singleSignOnService: [
      {
        Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
        Location: options.location ?? 'https://idp.test/sso',
      },
    ],
    singleLogoutService: [
      { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: 'https://idp.test/out' },
    ],
    nameIDFormat: [PERSISTENT],
  };
  const signer = {
    privateKey: options.key === 'another' ? takeKey() : published,
    requestSignatureAlgorithm: signAlgorithm,
  };
  const idp = samlify.IdentityProvider({
    ...settings,
    ...signer,
    ...(options.encrypts === undefined ? {} : { isAssertionEncrypted: true }),
    ...(options.encrypts === 'weakly' ? { keyEncryptionAlgorithm: RSA_1_5 } : {}),
    loginResponseTemplate: { context: '<r ID="{ID}"/>', attributes: [] },
  });
  const signs = options.signs ?? 'assertion';
  const sp = samlify.ServiceProvider({
    metadata: signs === 'assertion' ? spMetadata : spMetadata.replace('WantAssertionsSigned="true"', ''),
    wantMessageSigned: signs === 'message',
  });
  const write = async (said: Said, relayState: string): Promise<Posted> => {
    const xml = getResponse(said);
    if (signs === 'nothing') return { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState };
    const info = { extract: { request: { id: said.inResponseTo } } };
    const made = await idp.createLoginResponse(
      sp,
      info,
      'post',
      {},
      { customTagReplacement: () => ({ id: '_r', context: xml }), encryptThenSign: signs === 'message' },
    );
    return { SAMLResponse: made.context, RelayState: relayState };
  };
  const acs = /Location="([^"]+)"/.exec(spMetadata)?.[1] ?? '';
  const audience = /entityID="([^"]+)"/.exec(spMetadata)?.[1] ?? '';
  // prettier-ignore
  const usual = (email: string, inResponseTo: string): Said => ({
    issuer: entityId, audience, recipient: acs, destination: acs, inResponseTo, nameId: `id of ${email}`,
    nameIdFormat: PERSISTENT, attributes: { email: [email] }, assertionId: `_${randomUUID()}`, from: -60, until: 300,
    sessionUntil: undefined, status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  });
  return {
    entityId,
    metadata: idp.getMetadata(),
    acs,
    answer: async (url, email, change = {}) => {
      const { search, searchParams } = new URL(url);
      const octetString = search.slice(1).replace(/&Signature=.*$/, '');
      const query = Object.fromEntries(searchParams);
      const { extract } = await idp.parseLoginRequest(sp, 'redirect', { query, octetString });
      const { id } = (extract as { request: { id: string } }).request;
      return write({ ...usual(email, id), ...change }, searchParams.get('RelayState') ?? '');
    },
    unasked: (email, change = {}, relayState = '') => write({ ...usual(email, ''), ...change }, relayState),
  };
}

function getResponse(said: Said): string {
  const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
  const answers = said.inResponseTo === '' ? '' : ` InResponseTo="${said.inResponseTo}"`;
  const session = said.sessionUntil === undefined ? '' : ` SessionNotOnOrAfter="${at(said.sessionUntil)}"`;
  const attributes = Object.entries(said.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r" Version="2.0" IssueInstant="${at(0)}" Destination="${said.destination}"${answers}>`,
    `<saml:Issuer>${said.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${said.status}"/></samlp:Status>`,
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.assertionId}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${said.issuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${said.nameIdFormat}">${said.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">`,
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(said.until)}" Recipient="${said.recipient}"${answers}/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${at(said.from)}" NotOnOrAfter="${at(said.until)}"><saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(0)}"${session}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`,
  ].join('');
}
