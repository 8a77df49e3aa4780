import type { ErasureSubject } from '#contract/desk-files.ts';
import { formatPieces as pieces } from '#contract/labels.ts';

export const erasureTexts = {
  contribution: {
    open: 'Beitrag löschen',
    hint: 'Für immer, mit allen Dateien.',
    title: 'Beitrag endgültig löschen?',
    text: (by: string, files: string) =>
      `Der Beitrag${by} wird mit Transkript, Gespräch, Kontaktdaten, Notizen und allem, was dazugehört (${files}), ` +
      'gelöscht. Das lässt sich nicht rückgängig machen.',
    understood: 'Ja, diesen Beitrag endgültig löschen',
    confirm: 'Endgültig löschen',
    done: 'Beitrag gelöscht',
    running: 'Die Löschung läuft',
    runningText:
      'Sie dauert länger und geht von selbst zu Ende, auch wenn du diese Seite verlässt. ' +
      'Die Quittung steht dann unter Datenschutz.',
  },
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
