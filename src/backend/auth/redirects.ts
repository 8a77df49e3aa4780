import type { ProjectConfig } from '../config.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Never allowed, not even by a pattern like `**`. */
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'filesystem:']);

/**
 * Returns an allowed redirect target (supabase-contract §1.6): the site itself, any port of it on the loopback address,
 * or an address on the allow-list. Anything else becomes the site.
 */
export function resolveRedirect(
  asked: string,
  auth: Pick<ProjectConfig['auth'], 'site_url' | 'additional_redirect_urls'>,
): string {
  const url = parseUrl(asked);
  if (url === undefined || url.username !== '' || url.password !== '') return auth.site_url;
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return auth.site_url;
  if (isSite(url, parseUrl(auth.site_url))) return url.href;
  const bare = new URL(url);
  bare.hash = '';
  const listed = auth.additional_redirect_urls.some(
    (pattern) => toRegExp(pattern).test(bare.href) || pattern === asked,
  );
  return listed ? url.href : auth.site_url;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isSite(url: URL, site: URL | undefined): boolean {
  if (site === undefined || url.protocol !== site.protocol || url.hostname !== site.hostname) return false;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return url.port === site.port || LOOPBACK.has(url.hostname);
}

/** `*` matches within `.` and `/`, `**` matches anything, `?` one character. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*|[*?]|[\\^$.|+()[\]{}]/g, (part) => {
    if (part === '**') return '.*';
    if (part === '*') return '[^./]*';
    if (part === '?') return '[^./]';
    return `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}
