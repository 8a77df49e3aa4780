import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usableSavedPath } from './saved-path.ts';

describe('D7 the saved path', () => {
  it.each([
    ['/firma-a/voice-message', '/firma-a/voice-message'],
    ['/voice-message?a=1#b', '/voice-message?a=1#b'],
    ['/firma-a/../firma-a/upload', '/firma-a/upload'],
    ['/', '/'],
  ])('%s is used', (saved, used) => {
    expect(usableSavedPath(saved, 'firma_a')).toBe(used);
  });

  it.each([
    undefined,
    '',
    'firma-a',
    '//evil.example/firma-a',
    '/\\evil.example',
    '/\t/evil.example/firma-a',
    'javascript:alert(1)',
    'https://evil.example/firma-a',
    '/%2F/evil.example',
    '/admin',
    '/firma-b',
    '/gibt-es-nicht',
    '/login',
    '/no-role',
    '/passwort-neu',
  ])('%s is dropped', (saved) => {
    expect(usableSavedPath(saved, 'firma_a')).toBeUndefined();
  });

  it('never leaves the origin, whatever was saved', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '/', '//', '/\\', '/firma-a', '/?', '/#'),
        (text, start) => {
          const used = usableSavedPath(start + text, 'firma_a');
          if (used !== undefined) expect(new URL(used, 'https://app.example').origin).toBe('https://app.example');
        },
      ),
    );
  });
});
