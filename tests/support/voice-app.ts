import type { AddressInfo } from 'node:net';
import fastify, { LogController } from 'fastify';
import { pino } from 'pino';
import { readEnv } from '#server/env.ts';
import { createDatabaseTurnStore, voiceAgentRoutes, type VoiceDeps } from '#server/voice-agent/index.ts';
import type { VoiceLimits } from '#server/voice-agent/settings.ts';
import type { TestServer } from './boot.ts';

export type VoiceApp = Readonly<{
  url: string;
  /** Everything this app has logged, at every level. */
  logged: () => string;
  stop: () => Promise<void>;
}>;

export type VoiceAppOptions = Readonly<{
  env?: Readonly<Record<string, string>>;
  clock?: VoiceDeps['clock'];
  limits?: Partial<VoiceLimits>;
  /** Counts in the database, together with others, as the application does. */
  shared?: boolean;
}>;

/** The voice agent alone, on a booted server's database: with other services, limits or another clock. */
export async function startVoiceApp(server: TestServer, options: VoiceAppOptions = {}): Promise<VoiceApp> {
  let log = '';
  const app = fastify({
    loggerInstance: pino({ level: 'trace' }, { write: (line: string) => void (log += line) }),
    // As the application has it: addresses carry tickets.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  });
  await app.register(
    voiceAgentRoutes({
      env: readEnv({ ...options.env }),
      keys: server.backend.keys,
      store: createDatabaseTurnStore(server.backend.database),
      ...(options.shared === true
        ? { shared: { database: server.backend.database, secret: server.backend.keys.secretKey } }
        : {}),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      configure: (settings) => ({ ...settings, limits: { ...settings.limits, ...options.limits } }),
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    logged: () => log,
    stop: () => app.close(),
  };
}
