import { z } from 'zod';

/** `24h`, `1h30m`, `250ms`. */
export const Duration = z.string().regex(/^\d+(\.\d+)?(ms|s|m|h)([\d.]+(ms|s|m))*$/);
