/**
 * Addresses of recordings made by this page. They die with it, while the history entry that names them survives a
 * reload.
 */
const alive = new Set<string>();

export function makeAudioAddress(recording: Blob): string {
  const url = URL.createObjectURL(recording);
  alive.add(url);
  return url;
}

export function isAliveAudioAddress(url: string): boolean {
  return alive.has(url);
}
