import { expect, it } from 'vitest';
import { describeDevice } from './sessions-section.tsx';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/153.0.0.0 Safari/537.36`, 'Chrome auf Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/153.0.0.0 Safari/537.36 Edg/153.0`, 'Edge auf Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox auf Linux'],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/153.0.0.0 Mobile Safari/537.36`, 'Chrome auf Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari auf iPhone',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15`,
    'Safari auf macOS',
  ],
  ['curl/8.5.0', 'Unbekanntes Gerät'],
  ['', 'Unbekanntes Gerät'],
  [null, 'Unbekanntes Gerät'],
])('Describes the device of %s', (userAgent, name) => {
  expect(describeDevice(userAgent)).toBe(name);
});
