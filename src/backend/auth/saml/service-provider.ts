import { randomBytes } from 'node:crypto';
import type { SAML } from '@node-saml/node-saml';
import type { AuthContext } from '../context.ts';
import { AuthError, invalid } from '../errors.ts';
import { checkAssertion, readAssertion, type Assertion } from './assertion.ts';
import type { IdpMetadata } from './metadata.ts';
import { findAttributes, findElements, readXml } from './xml.ts';

/** Loaded at the first use: most installations have no company sign-on. */
const loadSaml = () => import('@node-saml/node-saml');

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const CLOCK_TOLERANCE_MS = 60_000;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
/** The entity id of this service is the address of its metadata. */
function getEntityId(context: AuthContext): string {
  return `${getBaseUrl(context)}/metadata`;
}

function getAssertionUrl(context: AuthContext): string {
  return `${getBaseUrl(context)}/acs`;
}

function getBaseUrl({ auth, externalUrl }: AuthContext): string {
  return `${(auth.saml.external_url ?? externalUrl).replace(/\/+$/, '')}/sso/saml`;
}

export async function buildOwnMetadata(context: AuthContext): Promise<string> {
  const { generateServiceProviderMetadata } = await loadSaml();
  const { privateKey, certificate, next } = await context.samlKey();
  const encryption = context.auth.saml.allow_encrypted_assertions
    ? { decryptionPvk: privateKey, decryptionCert: certificate }
    : {};
  return generateServiceProviderMetadata({
    issuer: getEntityId(context),
    callbackUrl: getAssertionUrl(context),
    privateKey,
    publicCerts: next === undefined ? certificate : [certificate, next.certificate],
    ...encryption,
    identifierFormat: PERSISTENT,
    wantAssertionsSigned: true,
    // The same answer every time: the document has an id only for signatures, and it has none.
    generateUniqueId: () => '_metadata',
  });
}

type SignOn = Readonly<{ idp: IdpMetadata; nameIdFormat: string | undefined; relayState: string }>;

/** Builds the redirect with a signed request. */
export async function buildSignOnUrl(context: AuthContext, requestId: string, to: SignOn): Promise<string> {
  const saml = await createSaml(context, to.idp, { requestId, nameIdFormat: to.nameIdFormat });
  return saml.getAuthorizeUrlAsync(to.relayState, undefined, {});
}

export function newRequestId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

type Answer = Readonly<{ samlResponse: string; idp: IdpMetadata; requestId: string | undefined }>;

/** Validates a response and returns its assertion. Throws AuthError. */
export async function validateResponse(context: AuthContext, answer: Answer): Promise<Assertion> {
  const { idp, requestId } = answer;
  try {
    const decryptionKey = await checkEnvelope(context, answer);
    const saml = await createSaml(context, idp, { requestId, decryptionKey });
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: answer.samlResponse });
    const assertion = readAssertion(profile?.getAssertion?.());
    const expected = { entityId: idp.entityId, assertionUrl: getAssertionUrl(context), requestId, now: context.now() };
    const refusal = checkAssertion(assertion, expected);
    if (refusal !== undefined) throw new Error(`not accepted: ${refusal}`);
    return assertion;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unreadable';
    context.log.info({ cause: why.slice(0, 200) }, 'SAML response refused');
    throw invalid('SAML Assertion is not valid');
  }
}

/** Checks the unsigned parts of a response; they can only refuse it. */
async function checkEnvelope(context: AuthContext, { samlResponse }: Answer): Promise<string | undefined> {
  const xml = Buffer.from(samlResponse, 'base64').toString();
  const root = await readXml(xml);
  const statuses = findAttributes(root, 'StatusCode', 'Value');
  if (!statuses.includes(SUCCESS)) throw new Error(`status ${statuses.at(-1) ?? 'missing'}`);
  const [destination] = findAttributes(root, 'Response', 'Destination');
  const isOurs = destination === undefined || destination === 'undefined' || destination === '';
  if (!isOurs && destination !== getAssertionUrl(context)) throw new Error('another destination');
  checkSignatures(root);
  return findDecryptionKey(xml, root, context);
}

type Exchange = Readonly<{
  requestId: string | undefined;
  nameIdFormat?: string | undefined;
  decryptionKey?: string | undefined;
}>;

/**
 * Creates the library's object for one exchange. Only this request knows its id, so the library's cache holds nothing
 * else.
 */
async function createSaml(context: AuthContext, idp: IdpMetadata, exchange: Exchange): Promise<SAML> {
  const { requestId, nameIdFormat, decryptionKey } = exchange;
  const { SAML, ValidateInResponseTo } = await loadSaml();
  const { privateKey, certificate } = await context.samlKey();
  return new SAML({
    issuer: getEntityId(context),
    audience: getEntityId(context),
    callbackUrl: getAssertionUrl(context),
    entryPoint: idp.signOnUrl,
    idpCert: [...idp.certificates],
    privateKey,
    publicCert: certificate,
    ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: nameIdFormat ?? PERSISTENT,
    disableRequestedAuthnContext: true,
    // The assertion must be signed, by itself or with its response.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    acceptedClockSkewMs: CLOCK_TOLERANCE_MS,
    validateInResponseTo: requestId === undefined ? ValidateInResponseTo.ifPresent : ValidateInResponseTo.always,
    generateUniqueId: () => requestId ?? newRequestId(),
    cacheProvider: {
      saveAsync: async (_key, value) => ({ value, createdAt: Date.now() }),
      getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
      removeAsync: async (key) => key,
    },
  });
}

/**
 * Finds the key that decrypts the assertion; undefined where nothing is encrypted. A provider with the former key
 * matches `private_key_next`. Throws where encryption is off or weak, where no key fits, and where the signature inside
 * is weak, which is visible only after decryption.
 */
async function findDecryptionKey(xml: string, root: unknown, context: AuthContext): Promise<string | undefined> {
  const count = findElements(root, 'EncryptedData').length;
  if (count === 0) return undefined;
  if (!context.auth.saml.allow_encrypted_assertions) throw new Error('encrypted, which is switched off');
  if (count > 1) throw new Error('more than one encrypted part');
  if (!areKnown(findAttributes(root, 'EncryptionMethod', 'Algorithm'), ENCRYPTIONS)) throw new Error('weak encryption');
  const { decryptXml } = await import('@node-saml/node-saml/lib/xml.js');
  const { privateKey, next } = await context.samlKey();
  for (const key of [privateKey, ...(next === undefined ? [] : [next.privateKey])]) {
    const opened = await decryptXml(xml, key).catch(() => undefined);
    if (opened === undefined) continue;
    checkSignatures(await readXml(opened));
    return key;
  }
  throw new Error('encrypted for somebody else');
}

/** BSI TR-02102: no SHA-1 in signatures, also where the library would take it. */
const SIGNATURES = new Set(['rsa-sha256', 'rsa-sha384', 'rsa-sha512', 'ecdsa-sha256', 'ecdsa-sha384', 'ecdsa-sha512']);
const DIGESTS = new Set(['sha256', 'sha384', 'sha512']);
/** Excludes RSA with PKCS #1 v1.5 (padding oracle) and Triple DES. */
const ENCRYPTIONS = new Set([
  'rsa-oaep-mgf1p',
  'rsa-oaep',
  'aes128-gcm',
  'aes192-gcm',
  'aes256-gcm',
  'aes128-cbc',
  'aes192-cbc',
  'aes256-cbc',
]);
/** Skips the OAEP digest of an encrypted key: it is no signature, so SHA-1 is harmless there. */
const HIDDEN = 'EncryptedAssertion';

/** Throws where the readable part of a document has a weak signature. */
function checkSignatures(root: unknown): void {
  if (!areKnown(findAttributes(root, 'SignatureMethod', 'Algorithm', HIDDEN), SIGNATURES)) {
    throw new Error('weak signature');
  }
  if (!areKnown(findAttributes(root, 'DigestMethod', 'Algorithm', HIDDEN), DIGESTS)) throw new Error('weak digest');
}

function areKnown(algorithms: readonly string[], known: ReadonlySet<string>): boolean {
  return algorithms.every((uri) => known.has(uri.split('#').at(-1) ?? ''));
}

/** Throws AuthError where company sign-on is off. */
export function requireSaml({ auth }: AuthContext): void {
  if (!auth.saml.enabled) throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}
