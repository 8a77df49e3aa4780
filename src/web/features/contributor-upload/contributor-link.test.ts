import { describe, expect, it } from 'vitest';
import { parseContributorLink } from './use-contribution.ts';

describe('D9 #i=<id>&k=<key>', () => {
  const key = 'k'.repeat(43);
  it('takes id and key', () => {
    expect(parseContributorLink(`#i=7&k=${key}`)).toEqual({ interviewId: '7', key });
  });

  it.each(['', '#', '#i=7', `#k=${key}`, `#i=local_1&k=${key}`, '#i=7&k=short', `#i=0&k=${key}`, `#i=7&k=${key}%20x`])(
    'anything else is no link: %s',
    (fragment) => expect(parseContributorLink(fragment)).toBeUndefined(),
  );
});
