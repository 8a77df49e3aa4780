const NUMBER = new Intl.NumberFormat('de-DE');
const DATE = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat('de-DE', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** With one decimal at most: '3,2'. */
export function formatDecimal(value: number): string {
  return value.toLocaleString('de-DE', { maximumFractionDigits: 1 });
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

/** Bytes in the unit people would choose: '734 KB', '12,3 MB', '1,85 GB' (1 KB = 1,024 bytes). */
export function formatBytes(bytes: number): string {
  const [unit, name, decimals] = UNITS.find(([least]) => bytes >= least) ?? SMALLEST;
  return `${(bytes / unit).toLocaleString('de-DE', { maximumFractionDigits: decimals })} ${name}`;
}

const SMALLEST = [1, 'Byte', 0] as const;
const UNITS = [
  [1024 ** 3, 'GB', 2],
  [1024 ** 2, 'MB', 1],
  [1024, 'KB', 0],
] as const;

const TIME = new Intl.DateTimeFormat('de-DE', { hour: '2-digit', minute: '2-digit' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('de-DE', { day: 'numeric', month: 'short' });

/** As near as it matters: '14:32' today, '12. Nov.' this year, '12.11.2025' before. */
export function formatWhen(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (time.toDateString() === now.toDateString()) return TIME.format(time);
  return time.getFullYear() === now.getFullYear() ? DAY_OF_YEAR.format(time) : DATE.format(time);
}
