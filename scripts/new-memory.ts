const BYTES = 64 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** Beyond this the machine's host has to find the memory first, and everything that starts or grows takes longer. */
const SLOW_US = 2;

/** Microseconds that a page of memory takes which this process did not have before. */
export function measureNewMemory(): number {
  const begun = performance.now();
  const memory = Buffer.alloc(BYTES);
  for (let at = 0; at < memory.length; at += PAGE_BYTES) memory[at] = 1;
  return ((performance.now() - begun) * 1_000) / (BYTES / PAGE_BYTES);
}

/** Times of two machines, or of two days, are comparable only where this is alike. */
export function describeNewMemory(microseconds: number): string {
  const fact = `A page of new memory takes ${microseconds.toFixed(1)} µs on this machine`;
  return microseconds > SLOW_US ? `${fact}, many times the usual 0.2 to 0.5: times say little.\n` : `${fact}.\n`;
}
