import { describe, expect, it } from 'vitest';
import type { OwnContribution } from '#contract/own-contributions.ts';
import { describeMissing, findWayOn, isOffered } from './unfinished-section.tsx';

const row = (facts: Partial<OwnContribution>): OwnContribution => ({
  id: 7,
  createdAt: '2026-11-05T10:00:00Z',
  kind: 'voice_message',
  topic: null,
  area: 'generic',
  files: 0,
  transcript: false,
  state: 'unfinished',
  links: [],
  review: false,
  ...facts,
});

describe('Unfinished contributions (decision 0275)', () => {
  it.each<[Partial<OwnContribution>, string, string]>([
    [{ transcript: true }, 'deine Kontaktdaten', '/thank-you'],
    [{}, 'die Aufnahme und deine Kontaktdaten', '/voice-message'],
    [{ files: 1 }, 'der Text dazu und deine Kontaktdaten', '/transcript-edit'],
    [{ kind: 'interview', topic: 'tech-dive' }, 'das Gespräch und deine Kontaktdaten', '/interview/tech-dive'],
    [{ kind: 'video', area: 'firma-a' }, 'das Video und deine Kontaktdaten', '/firma-a/video-upload'],
    [{ kind: 'image', files: 1 }, 'deine Kontaktdaten', '/thank-you'],
    [{ kind: 'video', transcript: true }, 'das Video und deine Kontaktdaten', '/video-upload'],
    [{ kind: 'document', area: 'testnormec' }, 'das Dokument und deine Kontaktdaten', '/testnormec/thank-you'],
    [{ kind: null }, 'Fotos oder Videos und deine Kontaktdaten', '/thank-you'],
    [{ kind: 'contributor' }, 'Fotos oder Videos und deine Kontaktdaten', '/upload'],
  ])('%j lacks %s and goes on at %s', (facts, missing, href) => {
    expect(describeMissing(row(facts))).toBe(`Es fehlen noch: ${missing}. Danach geht der Beitrag ans Team.`);
    expect(findWayOn(row(facts), 'admin')?.href).toBe(href);
  });

  it('hands on the contribution and its way, so that the steps count on (decision 0259)', () => {
    expect(findWayOn(row({ transcript: true }), 'admin')?.state).toEqual({ interviewId: '7', way: 'voice' });
    expect(findWayOn(row({ files: 1 }), 'admin')?.state).toEqual({ interviewId: '7', way: 'voice', transcript: '' });
  });

  it.each([
    ['testnormec', 'firma_a', '/firma-a/voice-message'],
    ['firma-a', 'vdi_admin', '/voice-message'],
    ['firma-b', 'firma_b', '/firma-b/voice-message'],
  ] as const)('What was begun in %s goes on in the area of %s, whose role may be another since', (area, role, href) => {
    expect(findWayOn(row({ area }), role)?.href).toBe(href);
  });

  it.each([
    ['2026-12-05T09:59:59Z', {}, true],
    ['2026-12-05T10:00:00Z', {}, false],
    ['2026-11-05T10:00:00Z', { state: 'received' }, false],
    // A device whose clock is behind.
    ['2026-01-01T00:00:00Z', {}, true],
  ] as const)('At %s %j is offered for 30 days after its beginning: %s', (now, facts, offered) => {
    expect(isOffered(row(facts), Date.parse(now))).toBe(offered);
  });

  it('has no way on in an area that there is no more', () => {
    expect(findWayOn(row({ area: 'firma-z' }), 'admin')).toBeUndefined();
  });
});
