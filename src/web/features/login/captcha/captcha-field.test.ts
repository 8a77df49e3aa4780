import { describe, expect, it } from 'vitest';
import { type CaptchaEvent, FIRST, reduceCaptcha } from './captcha-field.tsx';
import { readMessage } from './messages.ts';

const after = (...events: CaptchaEvent[]) => events.reduce(reduceCaptcha, FIRST);
const solved = { kind: 'solved', token: 't1' } as const;

describe('Captcha: states of the widget', () => {
  it.each([
    ['at first', [], { status: 'loading', asked: false }],
    ['there', [{ kind: 'ready' }], { status: 'open', asked: false }],
    ['a form submitted too early', [{ kind: 'asked' }], { status: 'loading', asked: true }],
    ['and it comes then', [{ kind: 'asked' }, { kind: 'ready' }], { status: 'open', asked: true }],
    ['solved', [{ kind: 'ready' }, { kind: 'asked' }, solved], { status: 'solved', token: 't1', asked: false }],
    ['a token counts once', [{ kind: 'ready' }, solved, { kind: 'spent' }], { status: 'open', asked: false }],
    ['ran out', [{ kind: 'ready' }, solved, { kind: 'expired' }], { status: 'expired' }],
    [
      'ran out, solved again',
      [{ kind: 'expired' }, { kind: 'solved', token: 't2' }],
      { status: 'solved', token: 't2' },
    ],
    ['broken', [{ kind: 'ready' }, { kind: 'failed' }], { status: 'failed' }],
    ['never came', [{ kind: 'silence' }], { status: 'failed' }],
    ['came in time', [{ kind: 'ready' }, { kind: 'silence' }], { status: 'open' }],
    ['tried again', [{ kind: 'failed' }, { kind: 'again' }], FIRST],
    [
      'tall while its task is open',
      [{ kind: 'ready' }, { kind: 'height', pixels: 619.5 }],
      { status: 'open', height: 620 },
    ],
    ['never flat', [{ kind: 'height', pixels: 0 }], { height: 78 }],
  ] satisfies [string, CaptchaEvent[], object][])('%s', (_name, events, expected) => {
    expect(after(...events)).toMatchObject(expected);
  });
});

describe('Captcha: messages of the frame', () => {
  it.each([
    [{ kind: 'ready' }, { kind: 'ready' }],
    [
      { kind: 'solved', token: 't', more: 1 },
      { kind: 'solved', token: 't' },
    ],
    [
      { kind: 'height', pixels: 100 },
      { kind: 'height', pixels: 100 },
    ],
  ])('Accepts %o', (data, message) => {
    expect(readMessage(data)).toEqual(message);
  });

  // prettier-ignore
  it.each([
    [undefined], ['ready'], [{}], [{ kind: 'spent' }], [{ kind: 'solved' }], [{ kind: 'solved', token: '' }],
    [{ kind: 'solved', token: 1 }], [{ kind: 'height', pixels: '9' }], [{ kind: 'height', pixels: NaN }],
  ])('Ignores %o', (data) => {
    expect(readMessage(data)).toBeUndefined();
  });
});
