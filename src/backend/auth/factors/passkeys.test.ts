import { expect, test } from 'vitest';
import { resolveRelyingParty } from './passkeys.ts';

const HERE = 'http://localhost:4711';

test.each([
  ['https://app.beispiel.test/pfad', {}, 'app.beispiel.test', ['https://app.beispiel.test']],
  ['http://127.0.0.1:3000', {}, 'localhost', [HERE]],
  ['http://[::1]:3000', {}, 'localhost', [HERE]],
  ['http://localhost:3000', {}, 'localhost', [HERE]],
  [
    'http://127.0.0.1:3000',
    { rp_id: 'beispiel.test', rp_origins: ['https://a.beispiel.test/', 'https://b.beispiel.test'] },
    'beispiel.test',
    ['https://a.beispiel.test', 'https://b.beispiel.test'],
  ],
])('site %s with %j → %s', (site_url, webauthn, id, origins) => {
  const party = resolveRelyingParty({ site_url, webauthn });
  expect([party.id, party.originsFor(HERE)]).toEqual([id, origins]);
  for (const foreign of ['https://boese.test', 'http://localhost:1.boese.test', 'http://127.0.0.1:3000', '']) {
    expect(party.originsFor(foreign)).not.toContain(foreign);
  }
});
