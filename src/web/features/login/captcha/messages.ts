/** Messages from the widget's page to the application. */
export type FromFrame =
  | Readonly<{ kind: 'ready' | 'expired' | 'failed' }>
  | Readonly<{ kind: 'solved'; token: string }>
  /** Height of the widget in CSS pixels. */
  | Readonly<{ kind: 'height'; pixels: number }>;

/** Message to the widget's page: ask again, because a token is valid once. */
export const ASK_AGAIN = 'ask-again';

const PLAIN = ['ready', 'expired', 'failed'] as const;

/** Parses a message; undefined for any other data. */
export function readMessage(data: unknown): FromFrame | undefined {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return undefined;
  const plain = PLAIN.find((kind) => kind === data.kind);
  if (plain !== undefined) return { kind: plain };
  if (data.kind === 'solved' && 'token' in data && typeof data.token === 'string' && data.token !== '') {
    return { kind: 'solved', token: data.token };
  }
  if (data.kind === 'height' && 'pixels' in data && typeof data.pixels === 'number' && data.pixels >= 0) {
    return { kind: 'height', pixels: data.pixels };
  }
  return undefined;
}
