import { randomBytes } from 'node:crypto';
import { SAML, generateServiceProviderMetadata, ValidateInResponseTo } from '@node-saml/node-saml';
import type { AuthContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { checkSignatures } from './algorithms.ts';
import { decryptionKeyFor } from './decryption.ts';
import { readAssertion, type Assertion } from './assertion.ts';
import { faultOfAssertion } from './judge.ts';
import type { IdpMetadata } from './metadata.ts';
import { attributesOf, readXml } from './xml.ts';

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const CLOCK_TOLERANCE_MS = 60_000;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
/** This service as identity providers know it: its metadata's address is its name. */
export function entityIdOf(context: AuthContext): string {
  return `${placeOf(context)}/metadata`;
}

function assertionUrlOf(context: AuthContext): string {
  return `${placeOf(context)}/acs`;
}

function placeOf({ auth, externalUrl }: AuthContext): string {
  return `${(auth.saml.external_url ?? externalUrl).replace(/\/+$/, '')}/sso/saml`;
}

export async function ownMetadata(context: AuthContext): Promise<string> {
  const { privateKey, certificate, next } = await context.samlKey();
  const encryption = context.auth.saml.allow_encrypted_assertions
    ? { decryptionPvk: privateKey, decryptionCert: certificate }
    : {};
  return generateServiceProviderMetadata({
    issuer: entityIdOf(context),
    callbackUrl: assertionUrlOf(context),
    privateKey,
    publicCerts: next === undefined ? certificate : [certificate, next.certificate],
    ...encryption,
    identifierFormat: PERSISTENT,
    wantAssertionsSigned: true,
    // The same answer every time: the document has an id only for signatures, and it has none.
    generateUniqueId: () => '_metadata',
  });
}

export type SignOn = Readonly<{ idp: IdpMetadata; nameIdFormat: string | undefined; relayState: string }>;

/** A signed request, by redirect. */
export async function signOnRequest(context: AuthContext, requestId: string, to: SignOn): Promise<string> {
  const party = await partyFor(context, to.idp, { requestId, nameIdFormat: to.nameIdFormat });
  return party.getAuthorizeUrlAsync(to.relayState, undefined, {});
}

export function newRequestId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

export type Answer = Readonly<{ samlResponse: string; idp: IdpMetadata; requestId: string | undefined }>;

/** The assertion in a response, when everything about both is in order. Throws AuthError. */
export async function acceptResponse(context: AuthContext, answer: Answer): Promise<Assertion> {
  const { idp, requestId } = answer;
  try {
    const decryptionKey = await checkEnvelope(context, answer);
    const party = await partyFor(context, idp, { requestId, nameIdFormat: undefined, decryptionKey });
    const { profile } = await party.validatePostResponseAsync({ SAMLResponse: answer.samlResponse });
    const assertion = readAssertion(profile?.getAssertion?.());
    const expected = { entityId: idp.entityId, assertionUrl: assertionUrlOf(context), requestId, now: context.now() };
    const fault = faultOfAssertion(assertion, expected);
    if (fault !== undefined) throw new Error(`not accepted: ${fault}`);
    return assertion;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unreadable';
    context.log.info({ cause: why.slice(0, 200) }, 'SAML response refused');
    throw invalid('SAML Assertion is not valid');
  }
}

/** What the response says around the assertion; nothing of it is signed for certain, so it can only refuse. */
async function checkEnvelope(context: AuthContext, { samlResponse }: Answer): Promise<string | undefined> {
  const xml = Buffer.from(samlResponse, 'base64').toString();
  const root = await readXml(xml);
  const [status] = attributesOf(root, 'StatusCode', 'Value').slice(-1);
  if (!attributesOf(root, 'StatusCode', 'Value').includes(SUCCESS)) throw new Error(`status ${status ?? 'missing'}`);
  const [destination] = attributesOf(root, 'Response', 'Destination');
  const isOurs = destination === undefined || destination === 'undefined' || destination === '';
  if (!isOurs && destination !== assertionUrlOf(context)) throw new Error('another destination');
  checkSignatures(root);
  return decryptionKeyFor(xml, root, context);
}

type Exchange = Readonly<{
  requestId: string | undefined;
  nameIdFormat: string | undefined;
  decryptionKey?: string | undefined;
}>;

/** One exchange: the request's id is known to nobody else, so the library needs no memory of its own. */
async function partyFor(context: AuthContext, idp: IdpMetadata, exchange: Exchange): Promise<SAML> {
  const { requestId, nameIdFormat, decryptionKey } = exchange;
  const { privateKey, certificate } = await context.samlKey();
  return new SAML({
    issuer: entityIdOf(context),
    audience: entityIdOf(context),
    callbackUrl: assertionUrlOf(context),
    entryPoint: idp.signOnUrl,
    idpCert: [...idp.certificates],
    privateKey,
    publicCert: certificate,
    ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: nameIdFormat ?? PERSISTENT,
    disableRequestedAuthnContext: true,
    // The assertion has to be signed, by itself or by the response it is in.
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
