/** Made at its first use: on a phone each takes as long as a small screen. */
function lazy<Format>(make: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= make());
}

const number = lazy(() => new Intl.NumberFormat('de-DE'));
const dateFormat = (options: Intl.DateTimeFormatOptions) => lazy(() => new Intl.DateTimeFormat('de-DE', options));
/** As mails and the desk's filter have it, wherever the reader is. */
const date = dateFormat({ dateStyle: 'medium', timeZone: 'Europe/Berlin' });
const moment = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const clock = dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function formatNumber(value: number): string {
  return number().format(value);
}

/** The day of an ISO time in Germany. */
export function formatDate(iso: string): string {
  return date().format(new Date(iso));
}

/** In the reader's time zone. */
export function formatMoment(iso: string): string {
  return moment().format(new Date(iso));
}

export function formatClock(time: Date): string {
  return clock().format(time);
}

/** `2026-11-16` → `16.11.`: a day of the calendar, in no time zone. */
export function formatDay(day: string): string {
  const [, month, last] = day.split('-');
  return `${Number(last)}.${Number(month)}.`;
}

/** `2026-11-16` → `16.11.2026`, also in no time zone. */
export function formatFullDay(day: string): string {
  return day.split('-').toReversed().join('.');
}

/** Bytes in the unit people would choose: '734 KB', '12,3 MB', '1,85 GB' (1 KB = 1,024 bytes). */
export function formatBytes(bytes: number): string {
  // A size that rounds up to the next unit is given in that unit: '1 MB', not '1.024 KB'.
  const [unit, name, decimals] = UNITS.find(([least]) => bytes >= least * 0.9995) ?? SMALLEST;
  return `${(bytes / unit).toLocaleString('de-DE', { maximumFractionDigits: decimals })} ${name}`;
}

const SMALLEST = [1, 'Byte', 0] as const;
const UNITS = [
  [1024 ** 3, 'GB', 2],
  [1024 ** 2, 'MB', 1],
  [1024, 'KB', 0],
] as const;

const hour = dateFormat({ hour: '2-digit', minute: '2-digit' });
const dayOfYear = dateFormat({ day: 'numeric', month: 'short' });

/** As near as it matters: '14:32' today, '12. Nov.' this year, '12.11.2025' before. */
export function formatWhen(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (time.toDateString() === now.toDateString()) return hour().format(time);
  return time.getFullYear() === now.getFullYear() ? dayOfYear().format(time) : date().format(time);
}

const DAY_MS = 86_400_000;

/** When a contribution is erased: `days` after it was begun or completed, whichever came last. ISO 8601. */
export function getDeletionDate(createdAt: string, completedAt: string | null, days: number): string {
  const last = Math.max(Date.parse(createdAt), Date.parse(completedAt ?? createdAt));
  return new Date(last + days * DAY_MS).toISOString();
}
