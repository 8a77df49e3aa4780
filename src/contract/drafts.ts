/** A language model writes or changes the text of a post, for administrators only. Nothing is saved by it. */
import * as z from 'zod/mini';
import { CHANNEL_IDS } from './channels.ts';
import { DESK_PATH } from './desk-files.ts';
import { POST_LIMITS } from './posts.ts';

/** POST DraftRequest → an event stream of DraftEvent. Closing the connection cancels. */
export function draftsPath(contribution: number): string {
  return `${DESK_PATH}/contributions/${contribution}/drafts`;
}

/** What is done to a text that is there. */
export const DRAFT_ACTIONS = [
  'shorten',
  'tone_factual',
  'tone_personal',
  'tone_expert',
  'first_person',
  'first_person_plural',
  'new_opening',
] as const;
export type DraftAction = (typeof DRAFT_ACTIONS)[number];

/** Without an action a text is written only from the material. */
export const DraftRequestSchema = z.union([
  z.strictObject({ channel: z.enum(CHANNEL_IDS) }),
  z.strictObject({
    channel: z.enum(CHANNEL_IDS),
    action: z.enum(DRAFT_ACTIONS),
    text: z.string().check(z.maxLength(POST_LIMITS.body), z.regex(/\S/)),
  }),
]);
export type DraftRequest = z.infer<typeof DraftRequestSchema>;

/** Why there is no draft, or not all of it: each code with what a person at the desk reads. */
export const DRAFT_ERROR_WORDS = {
  not_authenticated: 'Deine Anmeldung ist abgelaufen. Bitte melde dich neu an.',
  not_admin: 'Entwürfe lassen nur Administratoren schreiben.',
  second_factor_needed: 'Dafür brauchst du deinen zweiten Faktor. Bitte melde dich neu an.',
  invalid_request: 'Dieser Text lässt sich so nicht bearbeiten. Ist er leer oder sehr lang?',
  contribution_not_found: 'Diesen Beitrag gibt es nicht mehr.',
  no_material: 'In diesem Beitrag steht noch nichts, woraus ein Text entstehen könnte.',
  material_too_long: 'Der Beitrag ist für das Sprachmodell zu lang.',
  not_configured: 'Auf diesem Server ist kein Sprachmodell eingerichtet.',
  busy: 'Gerade werden schon andere Entwürfe geschrieben. Versuche es gleich noch einmal.',
  service_rate_limited: 'Das Sprachmodell ist ausgelastet. Versuche es in einer Minute noch einmal.',
  service_key_refused: 'Das Sprachmodell nimmt den Schlüssel des Servers nicht an. Bitte sag der Technik Bescheid.',
  service_rejected: 'Das Sprachmodell hat die Anfrage abgelehnt. Bitte sag der Technik Bescheid.',
  service_failed: 'Beim Sprachmodell ist etwas schiefgegangen. Versuche es noch einmal.',
  service_unreachable: 'Das Sprachmodell ist nicht erreichbar.',
  service_timeout: 'Das Sprachmodell hat zu lange nicht geantwortet.',
  service_not_a_model: 'Unter der Adresse des Sprachmodells antwortet etwas anderes. Bitte sag der Technik Bescheid.',
  answer_empty: 'Das Sprachmodell hat nichts geschrieben. Versuche es noch einmal.',
  answer_too_long: 'Das Sprachmodell hörte nicht auf zu schreiben; der Text wurde abgeschnitten.',
  answer_repeats: 'Das Sprachmodell wiederholt sich; der Text wurde abgebrochen.',
  answer_not_german: 'Das Sprachmodell hat nicht auf Deutsch geschrieben.',
  answer_incomplete: 'Die Antwort brach ab, bevor der Text fertig war.',
  backend_failed: 'Der Beitrag ließ sich nicht laden. Versuche es noch einmal.',
  internal_error: 'Etwas ist schiefgegangen. Versuche es noch einmal.',
} as const;
export type DraftErrorCode = keyof typeof DRAFT_ERROR_WORDS;
const DraftErrorCodeSchema = z.enum(Object.keys(DRAFT_ERROR_WORDS) as DraftErrorCode[]);
export const DraftErrorBodySchema = z.object({ error: z.object({ code: DraftErrorCodeSchema }) });

/** A place of the material on which the text rests, as the model says; `at` is behind the words in the text. */
const CitationSchema = z.object({
  at: z.number(),
  /** A source of `collectSources`, and the sentence in it. */
  source: z.string(),
  start: z.number(),
  end: z.number(),
});
export type Citation = z.infer<typeof CitationSchema>;

/** `draft.begun` comes first; `draft.done` or `draft.error` ends the stream. After an error the text so far stands. */
export const DraftEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('draft.begun'), model: z.string() }),
  /** Long material is read in parts before the text is written. */
  z.object({ type: z.literal('draft.progress'), done: z.number(), total: z.number() }),
  z.object({ type: z.literal('draft.text.delta'), delta: z.string() }),
  z.extend(CitationSchema, { type: z.literal('draft.citation') }),
  /** `ignored`: markers of sentences that do not exist, or too many in one place. */
  z.object({ type: z.literal('draft.done'), ignored: z.number() }),
  z.object({ type: z.literal('draft.error'), code: DraftErrorCodeSchema }),
]);
export type DraftEvent = z.infer<typeof DraftEventSchema>;
