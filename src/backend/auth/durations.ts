const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PARTS = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** Parses `1h30m`, `250ms` or `24h` to milliseconds; undefined where the text is invalid or missing. */
export function parseDuration(text = ''): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(PARTS)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

const DAY_MS = 86_400_000;
const PATTERN = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const PARTS_MS = [365 * DAY_MS, 30 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1_000];

/** Parses `PT6H` or `P1D` (XML Schema) to milliseconds; undefined where the text is invalid. */
export function parseXmlDuration(text: string): number | undefined {
  const parts = PATTERN.exec(text)?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) return undefined;
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (PARTS_MS[index] ?? 0), 0);
}
