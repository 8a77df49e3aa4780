import { z } from 'zod';

const Time = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined) return undefined;
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
    context.addIssue('is no time');
    return z.NEVER;
  });
const Text = z.object({ _: z.string().default('') });
const ConfirmationData = z.object({
  $: z.object({
    Recipient: z.string().optional(),
    InResponseTo: z.string().optional(),
    NotBefore: Time,
    NotOnOrAfter: Time,
  }),
});
const SubjectConfirmation = z.object({
  $: z.object({ Method: z.string() }),
  SubjectConfirmationData: z.array(ConfirmationData).length(1),
});
const NameId = Text.extend({ $: z.object({ Format: z.string().default('') }).default({ Format: '' }) });
/** An element without content is read as a text. */
const orEmpty = <Shape extends z.ZodType>(schema: Shape) =>
  z.preprocess((value) => (value === '' ? {} : value), schema);
const Attribute = z.object({
  $: z.object({ Name: z.string(), FriendlyName: z.string().optional() }),
  AttributeValue: z.array(z.unknown()).default([]),
});

const Schema = z.object({
  Assertion: z.object({
    $: z.object({ ID: z.string().min(1) }),
    Issuer: z.array(Text).length(1),
    Subject: z
      .array(
        z.object({ NameID: z.array(NameId).max(1).default([]), SubjectConfirmation: z.array(SubjectConfirmation) }),
      )
      .length(1),
    Conditions: z.array(z.object({ $: z.object({ NotBefore: Time, NotOnOrAfter: Time }) })).length(1),
    AuthnStatement: z.array(orEmpty(z.object({ $: z.object({ SessionNotOnOrAfter: Time }).optional() }))).default([]),
    AttributeStatement: z.array(orEmpty(z.object({ Attribute: z.array(Attribute).default([]) }))).default([]),
  }),
});

/**
 * The content of a signed assertion (SAML 2.0 Core §2.3), from the part that the library has verified. Times are
 * milliseconds since 1970. Throws where it is not the expected assertion.
 */
export function readAssertion(signed: unknown) {
  const { Assertion: given } = Schema.parse(signed);
  const [subject] = given.Subject;
  const nameId = subject?.NameID[0];
  return {
    id: given.$.ID,
    issuer: given.Issuer[0]?._ ?? '',
    nameId: nameId?._ ?? '',
    nameIdFormat: nameId?.$.Format ?? '',
    /** Recipients and lifetimes of a bearer assertion. */
    confirmations: (subject?.SubjectConfirmation ?? []).map(({ $, SubjectConfirmationData: [data] }) => ({
      method: $.Method,
      recipient: data?.$.Recipient,
      inResponseTo: data?.$.InResponseTo,
      notBefore: data?.$.NotBefore,
      notOnOrAfter: data?.$.NotOnOrAfter,
    })),
    notBefore: given.Conditions[0]?.$.NotBefore,
    notOnOrAfter: given.Conditions[0]?.$.NotOnOrAfter,
    /** When the session at the identity provider ends. */
    sessionEnd: given.AuthnStatement.map(({ $ }) => $?.SessionNotOnOrAfter).find((end) => end !== undefined),
    attributes: given.AttributeStatement.flatMap(({ Attribute: list }) => list).map(({ $, AttributeValue }) => ({
      names: [$.Name, ...($.FriendlyName === undefined ? [] : [$.FriendlyName])],
      values: AttributeValue.map(readText),
    })),
  };
}

export type Assertion = ReturnType<typeof readAssertion>;
type Confirmation = Assertion['confirmations'][number];

/** An empty element is read as an empty text. */
function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Text.safeParse(value).data?._ ?? '';
}

/** The values that an assertion must match. */
type Expectations = Readonly<{
  entityId: string;
  assertionUrl: string;
  /** The answered request; undefined where the identity provider started the sign-on. */
  requestId: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
}>;

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns the reason against a signed assertion; undefined where it is acceptable. The library checks signature and
 * audience; issuer, recipient, request and lifetime are checked here (SAML 2.0 Profiles §4.1.4.3).
 */
export function checkAssertion(assertion: Assertion, expected: Expectations): string | undefined {
  if (assertion.issuer !== expected.entityId) return 'issuer';
  if (!isWithin(assertion, expected.now)) return 'conditions';
  if (!assertion.confirmations.some((confirmation) => isForThisService(confirmation, expected))) return 'confirmation';
  return undefined;
}

function isForThisService(confirmation: Confirmation, expected: Expectations): boolean {
  const { method, recipient, inResponseTo, notOnOrAfter } = confirmation;
  if (method !== BEARER || recipient !== expected.assertionUrl || notOnOrAfter === undefined) return false;
  return inResponseTo === expected.requestId && isWithin(confirmation, expected.now);
}

function isWithin({ notBefore, notOnOrAfter }: Assertion | Confirmation, now: number): boolean {
  const begun = notBefore === undefined || now + CLOCK_TOLERANCE_MS >= notBefore;
  return begun && (notOnOrAfter === undefined || now - CLOCK_TOLERANCE_MS < notOnOrAfter);
}

/** Returns the time until which the assertion could be replayed; it is stored that long. */
export function getReplayEnd({ confirmations, notOnOrAfter }: Assertion): Date {
  const ends = [notOnOrAfter, ...confirmations.map((item) => item.notOnOrAfter)].filter((end) => end !== undefined);
  return new Date(Math.max(...ends) + CLOCK_TOLERANCE_MS);
}
