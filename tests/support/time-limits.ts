/**
 * In ms. A test waits for states, never for time: long limits cost nothing where all is well, and a machine that is
 * busy with other work needs them.
 */
export const TEST_MS = 600_000;
/** For one state. */
export const STATE_MS = 120_000;
/** For a server: tests hold statements and connections until they have seen what they look for. */
export const PATIENT_DATABASE = { DATABASE_STATEMENT_S: '120', DATABASE_WAIT_S: '120' } as const;
/** For a server whose own limits are the subject, as operators have them. */
export const SHIPPED_LIMITS = { DATABASE_STATEMENT_S: '', DATABASE_WAIT_S: '' } as const;
