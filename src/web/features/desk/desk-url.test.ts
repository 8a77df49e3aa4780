import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTRIBUTION_KINDS, DESK_SORTS, DESK_STATES } from '#contract/desk.ts';
import {
  boardHref,
  contributionHref,
  formatFilter,
  parseColumn,
  parseContentId,
  parseFilter,
  type DeskFilter,
} from './desk-url.ts';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';

const TABLE: readonly (readonly [string, DeskFilter])[] = [
  ['', {}],
  ['?suche=neue+Pr%C3%BCfmaschine', { search: 'neue Prüfmaschine' }],
  ['?bereich=firma-a,testnormec', { areas: ['firma-a', 'testnormec'] }],
  ['?art=sprachnachricht,video', { kinds: ['voice_message', 'video'] }],
  ['?status=neu,in-arbeit', { states: ['new', 'in_progress'] }],
  ['?kontakt=vollstaendig', { finished: true }],
  ['?kontakt=fehlt', { finished: false }],
  ['?bearbeitung=niemand', { assignee: 'none' }],
  [`?bearbeitung=${ACCOUNT}`, { assignee: ACCOUNT }],
  ['?von=2026-11-01&bis=2026-11-30', { from: '2026-11-01', until: '2026-11-30' }],
  ['?sortierung=geaendert', { sort: 'changed' }],
  [
    '?suche=a%26b%3D%2B&bereich=generic&art=bild&status=abgelehnt&kontakt=fehlt&bearbeitung=niemand&von=2026-01-02&sortierung=name',
    {
      search: 'a&b=+',
      areas: ['generic'],
      kinds: ['image'],
      states: ['rejected'],
      finished: false,
      assignee: 'none',
      from: '2026-01-02',
      sort: 'contributor',
    },
  ],
];

describe('Desk: filter in the address', () => {
  it.each(TABLE)('%s', (search, filter) => {
    expect(parseFilter(search)).toEqual(filter);
    expect(formatFilter(filter)).toBe(search);
  });

  it.each([
    ['?status=gibt-es-nicht&art=x&sortierung=y&kontakt=z&bearbeitung=ich', {}],
    ['?von=2026-02-30&bis=gestern', {}],
    ['?von=2026-13-01', {}],
    ['?bereich=<script>,firma-a,FIRMA', { areas: ['firma-a'] }],
    ['?suche=++&andere=1', {}],
    ['?status=abgelehnt,neu,neu', { states: ['new', 'rejected'] }],
    ['?sortierung=neueste', {}],
    ['?suche=%E2%80%AAPr%C3%BCf%C2%ADbericht%E2%80%8B%EF%BB%BF', { search: 'Prüfbericht' }],
    ['?suche=%E2%80%9EKran%E2%80%9C%20%C2%BBHalle%203%C2%AB', { search: '"Kran" "Halle 3"' }],
    [`?suche=${'a'.repeat(500)}`, { search: 'a'.repeat(200) }],
  ] as const)('Ignores invalid parts of %s', (search, filter) => {
    expect(parseFilter(search)).toEqual(filter);
  });

  it.each([
    ['17', 17],
    ['#17', 17],
    [' content-id 17 ', 17],
    ['Beitrag 17', 17],
    ['17 Zyklen', undefined],
    ['0', undefined],
    ['1234567890123456', undefined],
  ])('Takes %s for the Content-ID %s', (search, id) => {
    expect(parseContentId(search)).toBe(id);
  });

  it('Parses every formatted filter back to itself', () => {
    const day = fc
      .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
    const filters = fc.record(
      {
        search: fc
          .string({ minLength: 1, maxLength: 60 })
          .map((text) => text.trim())
          .filter((text) => text !== ''),
        areas: some(['generic', 'firma-a', 'testnormec']),
        kinds: some(CONTRIBUTION_KINDS),
        states: some(DESK_STATES),
        finished: fc.boolean(),
        assignee: fc.constantFrom('none', ACCOUNT),
        from: day,
        until: day,
        sort: fc.constantFrom(...DESK_SORTS.filter((sort) => sort !== 'newest')),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (filter) => {
        expect(parseFilter(formatFilter(filter))).toEqual(filter);
      }),
    );
  });

  it('Accepts half a surrogate pair', () => {
    expect(parseFilter(formatFilter({ search: 'a\uD800' }))).toEqual({ search: 'a\uFFFD' });
  });

  it('Links a contribution with the filter of its list', () => {
    expect(contributionHref(7, { states: ['new'] })).toBe('/admin/eingang/7?status=neu');
    expect(contributionHref(7, {})).toBe('/admin/eingang/7');
  });

  it('Links the board with its front column', () => {
    expect(boardHref({}, 'in_progress')).toBe('/admin/eingang/tafel?spalte=in-arbeit');
    expect(boardHref({ kinds: ['video'] }, 'new')).toBe('/admin/eingang/tafel?art=video&spalte=neu');
    expect(parseColumn('?art=video&spalte=zur-freigabe')).toBe('for_review');
    expect(parseColumn('?spalte=x')).toBeUndefined();
    expect(parseFilter('?art=video&spalte=neu')).toEqual({ kinds: ['video'] });
  });
});
