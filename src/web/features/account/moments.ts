const DATE = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
const MOMENT = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Berlin' });

/** `iso`: ISO 8601. */
export function formatLongDate(iso: string): string {
  return DATE.format(new Date(iso));
}

export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso));
}
