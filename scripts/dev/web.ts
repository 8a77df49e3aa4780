import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { createServer as createVite, type Plugin } from 'vite';
import { isServerPath, SERVER_PATHS } from '../../vite.config.ts';
import type { DevServer } from './server.ts';

export type Web = Readonly<{ close: () => Promise<void> }>;
export type WebPlace = Readonly<{ root: string; port: number; serverPort: number; server: DevServer }>;

/**
 * Serves the browser application from its sources and hands what is the server's on to it. The pages come from Vite, so
 * the content security policy of the server, which allows no inline script, is neither sent here nor loosened anywhere.
 */
export async function serveWeb({ root, port, serverPort, server }: WebPlace): Promise<Web> {
  const http = createServer();
  const target = { target: `http://127.0.0.1:${serverPort}`, ws: true };
  // In middleware mode, because Vite's own server ends the process on SIGTERM before the database has stopped.
  const vite = await createVite({
    configFile: path.join(root, 'vite.config.ts'),
    clearScreen: false,
    logLevel: 'warn',
    plugins: [awaitServer(server)],
    server: {
      middlewareMode: { server: http },
      hmr: { server: http },
      proxy: Object.fromEntries(SERVER_PATHS.map((form) => [form.source, target])),
    },
  });
  http.on('request', vite.middlewares);
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  return {
    close: async () => {
      await vite.close();
      http.close();
      http.closeAllConnections();
    },
  };
}

/** A request that arrives during a restart waits for its end, so that no page shows an error for it. */
function awaitServer(server: DevServer): Plugin {
  return {
    name: 'await-server',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        if (isServerPath(new URL(request.url ?? '/', 'http://local').pathname)) void pass(server, response, next);
        else next();
      });
    },
  };
}

async function pass(server: DevServer, response: ServerResponse, next: () => void): Promise<void> {
  const state = await server.settled();
  if (state === 'ready') return next();
  response.statusCode = 503;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end('The server does not run; the terminal says why.\n');
}
