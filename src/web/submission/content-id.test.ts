import { expect, it } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import type { Origin } from '#web/backend/interviews.ts';
import { type ContentKind, getOrigin, makeLocalId, originOfLocal } from './content-id.ts';

const table: readonly (readonly [ContentKind, Omit<Origin, 'area'>])[] = [
  ['voice', { kind: 'voice_message' }],
  ['engineering-path', { kind: 'interview', topic: 'engineering-path' }],
  ['behind-scenes', { kind: 'interview', topic: 'behind-scenes' }],
  ['tech-dive', { kind: 'interview', topic: 'tech-dive' }],
  ['free-topic', { kind: 'interview', topic: 'free-topic' }],
  ['image-interview', {}],
  ['plain', {}],
];

it.each(table)('desk: the origin of %s, begun in the database or on the device', (kind, origin) => {
  for (const area of AREAS) {
    expect(getOrigin(area.id, kind)).toEqual({ area: area.id, ...origin });
    expect(originOfLocal(area.id, makeLocalId(area, kind, 1700))).toEqual({ area: area.id, ...origin });
  }
});

it('desk: an entry of the outbox whose contribution has its number already tells no kind', () => {
  expect(originOfLocal('generic', '4711')).toEqual({ area: 'generic' });
});
