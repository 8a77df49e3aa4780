import type { Assertion, Confirmation } from './assertion.ts';

/** What an assertion has to agree with. */
export type Expectations = Readonly<{
  entityId: string;
  assertionUrl: string;
  /** The request it answers; undefined where the identity provider began. */
  requestId: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
}>;

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Why a signed assertion opens no session here; undefined where it does. The library checks signature and audience; whom
 * the assertion was issued by and for, what it answers and how long it holds is checked here (SAML 2.0 Profiles §4.1.4.3).
 */
export function faultOfAssertion(assertion: Assertion, expected: Expectations): string | undefined {
  if (assertion.issuer !== expected.entityId) return 'issuer';
  if (!isNow(assertion, expected.now)) return 'conditions';
  if (!assertion.confirmations.some((confirmation) => isForUs(confirmation, expected))) return 'confirmation';
  return undefined;
}

function isForUs(confirmation: Confirmation, expected: Expectations): boolean {
  const { method, recipient, inResponseTo, notOnOrAfter } = confirmation;
  if (method !== BEARER || recipient !== expected.assertionUrl || notOnOrAfter === undefined) return false;
  return inResponseTo === expected.requestId && isNow(confirmation, expected.now);
}

type Span = Readonly<{ notBefore: number | undefined; notOnOrAfter: number | undefined }>;

function isNow({ notBefore, notOnOrAfter }: Span, now: number): boolean {
  const begun = notBefore === undefined || now + CLOCK_TOLERANCE_MS >= notBefore;
  return begun && (notOnOrAfter === undefined || now - CLOCK_TOLERANCE_MS < notOnOrAfter);
}

/** How long the same assertion could be shown again: kept at least that long, then forgotten. */
export function replayableUntil({ confirmations, notOnOrAfter }: Assertion): Date {
  const ends = [notOnOrAfter, ...confirmations.map((item) => item.notOnOrAfter)].filter((end) => end !== undefined);
  return new Date(Math.max(...ends) + CLOCK_TOLERANCE_MS);
}
