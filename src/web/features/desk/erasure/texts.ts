import type { ErasureSubject } from '#contract/desk-files.ts';
import { formatPieces as pieces } from '#contract/labels.ts';

export const erasureTexts = {
  receipt: 'Quittung',
  receiptHint: 'Sie enthält keine Angaben zur Person und bleibt unter Datenschutz stehen.',
  number: 'Nummer',
  at: 'Zeitpunkt',
  erased: 'Gelöscht',
  nothing: 'Es war nichts mehr da.',
  what: {
    contribution: 'Ein Beitrag',
    discarded: 'Ein verworfener Beitrag',
    person: 'Alles zu einer Person',
    retention: 'Ablauf der Aufbewahrungsfrist',
  } satisfies Readonly<Record<ErasureSubject, string>>,
  counts: {
    contributions: (count: number) => pieces(count, 'Beitrag', 'Beiträge'),
    files: (count: number) => pieces(count, 'Datei', 'Dateien'),
    turns: (count: number) => pieces(count, 'Äußerung', 'Äußerungen'),
    feedback: (count: number) => pieces(count, 'Bewertung', 'Bewertungen'),
    posts: (count: number) => pieces(count, 'Post', 'Posts'),
    events: (count: number) => pieces(count, 'Eintrag im Verlauf', 'Einträge im Verlauf'),
    mails: (count: number) => pieces(count, 'E-Mail', 'E-Mails'),
    accounts: (count: number) => pieces(count, 'Konto', 'Konten'),
  },
  understood: 'Bitte bestätige zuerst, dass du löschen möchtest.',
} as const;
