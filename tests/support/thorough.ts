/**
 * How often a test repeats what it does: `quick` in `npm test`, `whole` with `THOROUGH=true`, which is for a release
 * and for changes of what the test is about.
 */
export function repetitions(quick: number, whole: number): number {
  return process.env['THOROUGH'] === 'true' ? whole : quick;
}
