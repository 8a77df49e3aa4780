import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { AnswerTooLongError, readBytes } from '#http/limited-answer.ts';

/** Resolves a name to all its addresses, or to an error. */
export type Resolve = (name: string, done: (error: Error | null, addresses?: LookupAddress[]) => void) => void;

type OutboundRequest = Readonly<{
  method?: string;
  headers?: ConstructorParameters<typeof Headers>[0];
  body?: unknown;
  signal?: AbortSignal | null | undefined;
}>;

/**
 * All requests to addresses from outside the configuration go through here: other providers, their keys, metadata
 * (threat 19). Only https to public addresses, except for hosts the operator listed; a name is resolved once and the
 * connection goes to the checked address; redirects are answers, never followed. Rejects with OutboundError.
 */
export type Outbound = (url: string, request?: OutboundRequest) => Promise<Response>;

type OutboundOptions = Readonly<{
  /** `name` or `name:port` inside this network, where plain http and private addresses are allowed. */
  internalHosts: readonly string[];
  resolve?: Resolve | undefined;
  timeoutMs?: number;
}>;

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1_048_576;

export function createOutbound(options: OutboundOptions): Outbound {
  const { internalHosts, resolve = resolveBySystem, timeoutMs = TIMEOUT_MS } = options;
  const listed = new Set(internalHosts.map((host) => host.toLowerCase()));
  return async (address, request = {}) => {
    const url = validateUrl(address, listed);
    const lookup = isListed(url, listed) ? undefined : createGuardedLookup(resolve);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    return send(url, request, signal, lookup).catch((cause: unknown) => {
      if (cause instanceof OutboundError) throw cause;
      const message = cause instanceof AnswerTooLongError ? cause.message : `no answer from ${url.host}`;
      throw new OutboundError(message, { cause });
    });
  };
}

function validateUrl(address: string, listed: ReadonlySet<string>): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new OutboundError('not an address');
  if (url.username !== '' || url.password !== '') throw new OutboundError('an address with a password in it');
  if (isListed(url, listed) && url.protocol === 'http:') return url;
  if (url.protocol !== 'https:') throw new OutboundError(`${url.protocol} is not allowed`);
  // A literal address is never resolved, so it is checked here.
  const literal = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const foreign = isIP(literal) !== 0 && !isPublicAddress(literal);
  if (foreign && !isListed(url, listed)) throw new OutboundError('an address inside this network');
  return url;
}

function isListed(url: URL, listed: ReadonlySet<string>): boolean {
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port;
  return listed.has(url.hostname) || listed.has(`${url.hostname}:${port}`);
}

/** Requires all addresses of the name to be public, since the one in use is not predictable. */
function createGuardedLookup(resolve: Resolve): LookupFunction {
  return (name, options, done) => {
    // A failed look-up passes only the error, despite its type.
    resolve(name, (cause, addresses = []) => {
      const [first] = addresses;
      const isPublic = first !== undefined && addresses.every(({ address }) => isPublicAddress(address));
      if (cause !== null || !isPublic) {
        return done(new OutboundError(`${name} is inside this network or unknown`, { cause }), '');
      }
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

const resolveBySystem: Resolve = (name, done) => systemLookup(name, { all: true }, done);

function send(
  url: URL,
  { method = 'GET', headers, body }: OutboundRequest,
  signal: AbortSignal,
  lookup: LookupFunction | undefined,
): Promise<Response> {
  const content = toBytes(body);
  const lengths = content === undefined ? {} : { 'content-length': String(content.byteLength) };
  const options = {
    method,
    headers: { 'user-agent': 'auth', ...Object.fromEntries(new Headers(headers)), ...lengths },
    signal,
    agent: false,
    ...(lookup === undefined ? {} : { lookup }),
  } as const;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options, (answer) => {
      readAnswer(answer).then(resolve, reject);
    });
    request.once('error', reject);
    request.end(content);
  });
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  if (body instanceof URLSearchParams || typeof body === 'string') return Buffer.from(String(body));
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new OutboundError('not a body');
}

const WITHOUT_BODY = new Set([204, 205, 304]);

async function readAnswer(answer: IncomingMessage): Promise<Response> {
  const bytes = await readBytes(answer, MAX_ANSWER_BYTES);
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const status = answer.statusCode ?? 500;
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers });
}

/** IPv4 addresses that are not on the public internet (IANA's special-purpose registry). */
// prettier-ignore
const RESERVED_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
];

/** Parts of 2000::/3, the only public range, that lead elsewhere: protocols, documentation, 6to4. */
const RESERVED_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const reserved = new BlockList();
for (const [network, prefix] of RESERVED_4) reserved.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of RESERVED_6) reserved.addSubnet(network, prefix, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether a connection there leaves this machine and its network. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}
