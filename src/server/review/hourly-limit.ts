const HOUR_MS = 3_600_000;

/** Counts the requests of each network, in hours of the clock, and returns whether one more is allowed. */
export function createHourlyLimit(perHour: number, now: () => number = Date.now): (network: string) => boolean {
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
