import type { DeskEvent, DeskMailOutcome } from '#contract/desk.ts';

export type MailTrouble = Readonly<{
  outcome: Exclude<DeskMailOutcome, 'sent'>;
  /** The mail server's answer, such as '550'; '' where there is none. */
  code: string;
}>;

/** What became of the newest mail to the contributor, where it may not have arrived. `events`: newest first. */
export function mailTroubleOf(events: readonly DeskEvent[]): MailTrouble | undefined {
  const last = events.find(({ what, from }) => what === 'mail' && from !== 'new');
  const outcome = last?.to;
  if (outcome !== 'refused' && outcome !== 'unsure' && outcome !== 'no_address') return undefined;
  return { outcome, code: last?.text ?? '' };
}
