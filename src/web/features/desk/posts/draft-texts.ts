import { DRAFT_ERROR_WORDS, type DraftAction } from '#contract/drafts.ts';
import type { DraftFailure } from '#web/backend/drafts.ts';

export const draftTexts = {
  replaced: {
    title: 'Dein ungespeicherter Text wurde ersetzt',
    text: 'Bis du speicherst, kannst du ihn zurückholen.',
    action: 'Text zurückholen',
  },
  write: 'Entwurf schreiben lassen',
  writeAgain: 'Ganz neu schreiben lassen',
  change: 'Text überarbeiten lassen',
  hint: 'Ein Sprachmodell schreibt aus dem Material. Lies alles, bevor du es verwendest.',
  actions: {
    shorten: 'Kürzen auf Kanal-Länge',
    tone_factual: 'Ton: sachlich',
    tone_personal: 'Ton: persönlich',
    tone_expert: 'Ton: für Fachpublikum',
    first_person: 'Ich-Form',
    first_person_plural: 'Wir-Form',
    new_opening: 'Einstieg neu',
  } satisfies Readonly<Record<DraftAction, string>>,
  writing: 'Das Sprachmodell schreibt...',
  reading: 'Das Sprachmodell liest das Material...',
  cancel: 'Abbrechen',
  region: 'Entwurf des Sprachmodells',
  done: 'Fertig. Übernimm den Text, um ihn zu bearbeiten.',
  cancelled: 'Abgebrochen. Was bis dahin kam, kannst du übernehmen.',
  ignored: 'Manche Belege, die das Sprachmodell nannte, gibt es nicht.',
  failed: 'Kein ganzer Entwurf',
  cites: 'Nennt als Beleg:',
  citesNothing: 'Nennt keinen Beleg.',
  take: 'Text übernehmen',
  discard: 'Verwerfen',
  describeFailure: (failure: DraftFailure): string =>
    failure === 'unreachable' ? 'Der Server ist nicht erreichbar.' : DRAFT_ERROR_WORDS[failure],
};
