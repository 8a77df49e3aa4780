const HOUR_MS = 3_600_000;

/** Counts the links that one network asks for, in hours of the clock. The database limits those of one contribution. */
export function createLinkLimit(perHour: number, now: () => number = Date.now): (network: string) => boolean {
  let hour = Number.NaN;
  let counts = new Map<string, number>();
  return (network) => {
    const current = Math.floor(now() / HOUR_MS);
    if (current !== hour) [hour, counts] = [current, new Map()];
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    return count <= perHour;
  };
}
