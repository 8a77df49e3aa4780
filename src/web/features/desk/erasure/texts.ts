import type { ErasureSubject } from '#contract/desk-files.ts';

const pieces = (count: string, one: string, many: string): string => `${count} ${count === '1' ? one : many}`;

export const erasureTexts = {
  receipt: 'Quittung',
  receiptHint: 'Sie enthält keine Angaben zur Person und bleibt unter Datenschutz stehen.',
  number: 'Nummer',
  at: 'Zeitpunkt',
  erased: 'Gelöscht',
  nothing: 'Es war nichts mehr da.',
  what: {
    contribution: 'Ein Beitrag',
    person: 'Alles zu einer Person',
    retention: 'Ablauf der Aufbewahrungsfrist',
  } satisfies Readonly<Record<ErasureSubject, string>>,
  counts: {
    contributions: (count: string) => pieces(count, 'Beitrag', 'Beiträge'),
    files: (count: string) => pieces(count, 'Datei', 'Dateien'),
    turns: (count: string) => pieces(count, 'Äußerung', 'Äußerungen'),
    feedback: (count: string) => pieces(count, 'Bewertung', 'Bewertungen'),
    posts: (count: string) => pieces(count, 'Post', 'Posts'),
    events: (count: string) => pieces(count, 'Eintrag im Verlauf', 'Einträge im Verlauf'),
    mails: (count: string) => pieces(count, 'E-Mail', 'E-Mails'),
    accounts: (count: string) => pieces(count, 'Konto', 'Konten'),
  },
  understood: 'Bitte bestätige zuerst, dass du löschen möchtest.',
} as const;
