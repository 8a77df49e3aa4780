/**
 * In ms. A test waits for states, never for time: long limits cost nothing where all is well, and a machine that is
 * busy with other work needs them.
 */
export const TEST_MS = 600_000;
/** For one state. */
export const STATE_MS = 120_000;
