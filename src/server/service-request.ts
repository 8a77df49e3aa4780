/** A service with OpenAI's interface. */
export type Service = Readonly<{ url: string; key: string | undefined; model: string }>;

/** A service refused a request. Carries none of its text, which may repeat what a person said. */
export class ServiceError extends Error {
  /** HTTP status; 0 for an answer that is not the service's own, such as a proxy's page. */
  readonly status: number;
  constructor(service: string, status: number) {
    super(`${service} answered ${status}`);
    this.name = 'ServiceError';
    this.status = status;
  }
}

/** Azure needs `api-key`. */
export function getAuthorization(
  key: string | undefined,
  header: 'authorization' | 'api-key' = 'authorization',
): Record<string, string> {
  if (key === undefined) return {};
  return header === 'api-key' ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Throws ServiceError. */
export async function requireSuccess(response: Response, name: string): Promise<void> {
  if (response.ok) return;
  await response.body?.cancel();
  throw new ServiceError(name, response.status);
}

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
