import { config } from 'zod/v4/core';

/**
 * Takes the place of zod/mini in the bundle (vite.config.ts). Threat 9: no code is made from text; zod would try
 * whether it may, wherever a schema is made. Said here, the first screens need nothing of zod.
 */
config({ jitless: true });

export * from 'zod/v4/mini';
