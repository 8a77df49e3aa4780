import { MoveFault } from './faults.ts';

type Refusal = Readonly<{ message: string; status?: number | undefined; statusCode?: string | undefined }>;

/** What the hosted project's storage says of a file. Its status 400 has the real one in the body (supabase-contract §3.1). */
export function storageFault(error: Refusal, name: string, bytes: number): MoveFault {
  const inBody = Number(error.statusCode ?? Number.NaN);
  const status = Number.isInteger(inBody) && inBody >= 400 ? inBody : (error.status ?? 0);
  if (status === 413) return new MoveFault('file_too_large', `${name} (${bytes} Byte)`, { cause: error });
  if (status === 401 || status === 403) return new MoveFault('wrong_key', '', { cause: error });
  if (status === 0 || status === 429 || status >= 500) return new MoveFault('api_away', '', { cause: error });
  return new MoveFault('file_refused', `${name}: ${error.message}`, { cause: error });
}
