import http from 'node:http';

/**
 * `LATE_MS=1500 npx playwright test`: answers to the browser come up to so many milliseconds later, at random and so in
 * another order. What then fails waits for one answer and takes another for it.
 */
const most = Number(process.env['LATE_MS'] ?? 0);
/** Parts of the application are fetched ahead, so few of them come late. */
const LATE_PARTS = { assets: 0.15, others: 0.6 };

type Emit = (this: http.Server, event: string, ...args: unknown[]) => boolean;

if (most > 0) {
  const server: { emit: Emit } = http.Server.prototype;
  const { emit } = server;
  server.emit = function (event, ...args) {
    const [request] = args;
    const isAsked = event === 'request' && request instanceof http.IncomingMessage;
    const ms = isAsked ? findDelay(request) : 0;
    if (ms === 0) return emit.call(this, event, ...args);
    setTimeout(() => emit.call(this, event, ...args), ms);
    return true;
  };
}

/** Zero for what is no browser, such as the clients of the tests themselves. */
function findDelay({ url = '', headers }: http.IncomingMessage): number {
  if (headers['user-agent']?.includes('Chrome') !== true) return 0;
  const part = url.startsWith('/assets/') ? LATE_PARTS.assets : LATE_PARTS.others;
  return Math.random() < part ? Math.random() * most : 0;
}
