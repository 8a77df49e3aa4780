import { describe, expect, it } from 'vitest';
import { AREAS, type AreaId } from '#contract/areas.ts';
import { makeLocalId, type ContentKind } from './content-id.ts';
import { isLocalId, numericId } from './local-id.ts';

const getArea = (id: AreaId) => AREAS.find((area) => area.id === id) ?? expect.fail(id);

describe('§3 local interview ids', () => {
  it.each<[AreaId, ContentKind, RegExp]>([
    ['generic', 'plain', /^local_1700_[0-9a-f]{16}$/],
    ['generic', 'voice', /^local_voice_1700_[0-9a-f]{16}$/],
    ['generic', 'engineering-path', /^local_engineering_1700_/],
    ['generic', 'behind-scenes', /^local_behind_scenes_1700_/],
    ['firma-a', 'tech-dive', /^local_tech_dive_1700_/],
    ['firma-b', 'free-topic', /^local_free_topic_1700_/],
    ['generic', 'image-interview', /^local_image_interview_1700_/],
    ['testnormec', 'voice', /^testnormec_voice_1700_[0-9a-f]{16}$/],
    ['testnormec', 'behind-scenes', /^testnormec_behind_scenes_1700_/],
  ])('%s, %s', (area, kind, form) => {
    expect(makeLocalId(getArea(area), kind, 1700)).toMatch(form);
  });

  it('are never the same twice', () => {
    const ids = Array.from({ length: 50 }, () => makeLocalId(getArea('generic'), 'voice', 1700));
    expect(new Set(ids).size).toBe(50);
  });

  it.each([
    ['local_1700_ab', true],
    ['local_42', true],
    ['testnormec_voice_1_a', true],
    ['', true],
    ['abc', true],
    ['12abc', true],
    ['-1', true],
    ['0', true],
    ['1.5', true],
    ['9007199254740993', true],
    ['1', false],
    ['4711', false],
  ])('%j counts as local: %s', (id, expected) => {
    expect(isLocalId(id)).toBe(expected);
  });

  it('has no number where there is no id', () => {
    expect(numericId(undefined)).toBeUndefined();
    expect(numericId('4711')).toBe(4711);
  });
});
