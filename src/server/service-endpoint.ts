/**
 * The address of one route of an OpenAI-shaped service. Operators write its origin, a base such as `…/v1`, or the whole
 * address; a query (Azure's) stays.
 */
export function resolveEndpoint(url: string, route: string): string {
  const address = new URL(url);
  const base = address.pathname.replace(/\/+$/, '');
  if (!base.endsWith(route)) address.pathname = `${base === '' ? '/v1' : base}${route}`;
  return address.href;
}
