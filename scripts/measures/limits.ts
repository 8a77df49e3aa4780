/**
 * `limit` must not be passed: it is the aim where that is reached, otherwise the value of today, which may only get
 * better. Counts that grow with each feature have room to the next round number.
 */
export type Limit = Readonly<{ limit: number; aim: number; better: 'lower' | 'higher' }>;

export type MeasureName = keyof typeof LIMITS;

export type Judgement = Readonly<{ name: string; value: number; limit: number; aim: number; verdict: string }>;

const lower = (limit: number, aim: number): Limit => ({ limit, aim, better: 'lower' });
const higher = (limit: number, aim: number): Limit => ({ limit, aim, better: 'higher' });

export const LIMITS = {
  'source files': lower(790, 750),
  'source lines': lower(88_259, 54_000),
  'file lines, p50': higher(60, 60),
  'file lines, p95': lower(200, 200),
  'file lines, max': lower(300, 300),
  'function lines, p50': lower(8, 8),
  'function lines, p95': lower(40, 40),
  'function lines, max': lower(40, 40),
  'component lines, p50': lower(50, 50),
  'component lines, p95': lower(120, 120),
  'component lines, max': lower(120, 120),
  'lines over 120 columns, src': lower(0, 0),
  'lines over 120 columns, tests, scripts': lower(0, 0),
  'format switched off but for tables': lower(0, 0),
  'import cycles, types included': lower(0, 0),
  'files with one importer, %': lower(31, 25),
  'duplicates of six or more lines': lower(10, 10),
  'test lines to source lines, all': higher(1, 1),
  'test lines to source lines, rest': higher(1, 1),
  'test lines to source lines, storage': higher(1, 1),
  'test lines to source lines, auth': higher(1, 1),
  'megabytes installed by npm start': lower(560, 550),
} as const satisfies Readonly<Record<string, Limit>>;

/** Compares a value with its limit and its aim. */
export function judge(name: string, value: number, { limit, aim, better }: Limit): Judgement {
  const passes = (bound: number): boolean => (better === 'lower' ? value <= bound : value >= bound);
  const verdict = passes(aim) ? 'aim reached' : passes(limit) ? 'within its limit' : 'BROKEN';
  return { name, value, limit, aim, verdict };
}

export function isBroken({ verdict }: Judgement): boolean {
  return verdict === 'BROKEN';
}
