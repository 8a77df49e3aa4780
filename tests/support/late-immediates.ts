/**
 * `LATE_IMMEDIATES_MS=8 npx vitest run --project web`: what `setImmediate` plans runs so many milliseconds later, as on
 * a busy machine. React draws and runs effects that way, so a test that does not wait for them fails.
 */
const { setImmediate: plan, setTimeout: wait } = globalThis;
const ms = Number(process.env['LATE_IMMEDIATES_MS']);

Object.assign(globalThis, {
  setImmediate: (work: (...args: unknown[]) => void, ...args: unknown[]) => wait(() => plan(work, ...args), ms),
});
