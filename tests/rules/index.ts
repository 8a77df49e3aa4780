import type { Rule } from './rules.ts';
import { SESSION_RULES } from './sessions.ts';

/** All but the cells of the matrix, which tests/wire/schema-matrix.test.ts runs through the services' own connections. */
export const OWN_RULES: readonly Rule[] = [...SESSION_RULES];
