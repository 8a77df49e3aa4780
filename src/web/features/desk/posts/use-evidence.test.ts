import { expect, test } from 'vitest';
import { nameFact } from './use-evidence.ts';

const name = (body: string, text: string) => {
  const start = body.indexOf(text);
  return nameFact(body, { start, end: start + text.length, text });
};

test.each([
  ['Sie steht in Halle 7.', '7', 'Halle 7'],
  ['7 Teile', '7', '7'],
  ['Halle 3, 7 Teile', '7', '7'],
  ['mit der Siemens AG', 'Siemens AG', 'Siemens AG'],
])('Names a short fact with the word before it (%#)', (body, text, shown) => expect(name(body, text)).toBe(shown));
