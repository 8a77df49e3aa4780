/** What the widget's page tells the application around it. */
export type FromFrame =
  | Readonly<{ kind: 'ready' | 'expired' | 'failed' }>
  | Readonly<{ kind: 'solved'; token: string }>
  /** CSS pixels that the widget takes. */
  | Readonly<{ kind: 'height'; pixels: number }>;

/** And the one thing it is told: a token counts once, so the widget is to ask again. */
export const ASK_AGAIN = 'ask-again';

const PLAIN = ['ready', 'expired', 'failed'] as const;

/** Nothing where somebody else said something. */
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
