const DAY_MS = 86_400_000;
const PATTERN = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const PARTS_MS = [365 * DAY_MS, 30 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1_000];

/** `PT6H`, `P1D` (XML Schema) → milliseconds; undefined where it is no duration. */
export function durationOfXml(text: string): number | undefined {
  const parts = PATTERN.exec(text)?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) return undefined;
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (PARTS_MS[index] ?? 0), 0);
}
