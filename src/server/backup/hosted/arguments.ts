/** What `npm run move-to-hosted -- …` was asked to do. */
export type Wish = 'move' | 'dry-run' | 'compare' | 'finish' | 'help';

const WISHES: Readonly<Record<string, Wish>> = {
  '--dry-run': 'dry-run',
  '--compare': 'compare',
  '--finish': 'finish',
  '--help': 'help',
  '-h': 'help',
};

/** Undefined where it is not understood. */
export function readWish(args: readonly string[]): Wish | undefined {
  const [first, ...rest] = args;
  if (rest.length > 0) return undefined;
  return first === undefined ? 'move' : WISHES[first];
}
