/** §3: any id with a local prefix, or not parseable as a number. */
export function isLocalId(id: string): boolean {
  return numericId(id) === undefined;
}

/** The database's id, or `undefined` for a local one. Only this id may be written to (§5 'Database writes by id'). */
export function numericId(id: string | undefined): number | undefined {
  if (id === undefined || !/^[1-9]\d*$/.test(id)) return undefined;
  const parsed = Number(id);
  return Number.isSafeInteger(parsed) ? parsed : undefined;
}

export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
