import fc, { type Arbitrary } from 'fast-check';

/** Texts that parsers and databases stumble over, and words that mean something to some call. */
const NASTY = [
  '\0',
  'a\0b@beispiel.test',
  '\ud800',
  'x'.repeat(300),
  '1e400',
  "'; drop table auth.users; --",
  '%s%n',
  '\u202e',
  'null',
  'totp',
  'phone',
  'create',
  'signup',
  'recovery',
  'magiclink',
  'invite',
  'email_change',
  'email_change_new',
  'sms',
  'phone_change',
  's256',
  'plain',
  'saml',
  'github',
  '__proto__',
  'constructor',
  '24h',
  '-1h',
  '9'.repeat(400),
  '00000000-0000-0000-0000-000000000000',
  'a@beispiel.test',
  '491701234567',
  'PHNhbWxwOlJlc3BvbnNlLz4=',
  '<a><b></a>',
];

export const nasty: Arbitrary<string> = fc.constantFrom(...NASTY);

const value = fc.oneof(nasty, fc.string({ unit: 'binary' }), fc.emailAddress(), fc.jsonValue({ maxDepth: 4 }));

/** Bodies: mostly objects with members that calls know, sometimes other JSON, sometimes none at all. */
export function garbageBody(members: readonly string[]): Arbitrary<string> {
  const object = fc.dictionary(fc.oneof(fc.constantFrom(...members), fc.string()), value, { maxKeys: 8 });
  return fc.oneof(
    { arbitrary: object.map((known) => JSON.stringify(known)), weight: 6 },
    { arbitrary: fc.json(), weight: 1 },
    { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
  );
}

/** What can stand in a query string or a form. */
export const garbageText: Arbitrary<string> = fc
  .oneof(nasty, fc.webUrl(), fc.string(), fc.uuid(), fc.base64String({ maxLength: 200 }))
  .filter((text) => text.isWellFormed());

/** Query strings and forms with parameters that calls know; some come twice. */
export function garbageForm(names: readonly string[]): Arbitrary<string> {
  const pair = fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), garbageText);
  return fc
    .array(
      pair.filter(([name]) => name.isWellFormed()),
      { maxLength: 8 },
    )
    .map((pairs) => new URLSearchParams(pairs).toString());
}
