import { expect, test } from 'vitest';
import { nameBrowser } from './microphone.tsx';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 0, 'chrome'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/140.0`, 10, 'chrome'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 0, 'firefox'],
  [`${MAC} Version/18.0 Safari/605.1.15`, 0, 'safari'],
  [`${MAC} Version/18.0 Safari/605.1.15`, 5, 'iosSafari'],
  [`${IPHONE} Version/18.0 Mobile/15E148 Safari/604.1`, 5, 'iosSafari'],
  [`${IPHONE} CriOS/140.0 Mobile/15E148 Safari/604.1`, 5, 'iosOther'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 5, 'android'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 5, 'androidFirefox'],
])('Knows whose settings allow the microphone: %s with %s touch points', (userAgent, maxTouchPoints, name) => {
  expect(nameBrowser({ userAgent, maxTouchPoints })).toBe(name);
});
