import { errorCodes, type FastifyInstance } from 'fastify';

/** `values`: members of objects and arrays in the whole text. A million small ones take V8 seconds. */
export type JsonLimits = Readonly<{ depth: number; values: number }>;

const OBJECT_BEGIN = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY_BEGIN = 0x5b;
const ARRAY_END = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;

/** Which limit a JSON text passes, if any. Reads it once and builds nothing. */
export function findExcess(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  // Each level and each value takes at least one character.
  if (text.length <= Math.min(limits.depth, limits.values)) return undefined;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findEndOfString(text, at + 1);
      continue;
    }
    if (code === OBJECT_END || code === ARRAY_END) depth -= 1;
    const begins = code === OBJECT_BEGIN || code === ARRAY_BEGIN;
    if (begins) depth += 1;
    if (begins || code === COMMA) values += 1;
    if (depth > limits.depth) return 'depth';
    if (values > limits.values) return 'values';
  }
  return undefined;
}

/** Position of the quotation mark that ends the string; the end of the text where none does. */
function findEndOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** More than any request of the application brings. */
const BODY_LIMITS: JsonLimits = { depth: 1_000, values: 100_000 };

/** Fastify's parser of JSON bodies, which answers 413 beyond these limits. `emptyBody`: an empty one is no body. */
export function limitJsonBodies(app: FastifyInstance, { emptyBody = false } = {}): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (emptyBody && body === '') done(null, undefined);
    else if (findExcess(body, BODY_LIMITS) === undefined) void parse(request, body, done);
    else done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), undefined);
  });
}

/** More than any form has: Node's parser takes time that grows with the square of the pairs. */
const MAX_PAIRS = 1_000;

/** The pairs of an urlencoded form, in their order; undefined where there are too many. */
export function parseForm(text: string): URLSearchParams | undefined {
  let pairs = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
    if ((pairs += 1) > MAX_PAIRS) return undefined;
  return new URLSearchParams(text);
}
