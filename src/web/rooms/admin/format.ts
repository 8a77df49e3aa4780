const NUMBER = new Intl.NumberFormat('de-DE');
const DATE = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat('de-DE', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** From an ISO time, in the reader's time zone. */
export function formatDate(iso: string): string {
  return DATE.format(new Date(iso));
}

export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso));
}

export function formatClock(time: Date): string {
  return CLOCK.format(time);
}

/** `2026-11-16` → `16.11.`: a day of the calendar, in no time zone. */
export function formatDay(day: string): string {
  const [, month, date] = day.split('-');
  return `${Number(date)}.${Number(month)}.`;
}
