import type { ObjectStore, StoreLocation } from '../object-store.ts';
import { openDiskStore } from './disk.ts';

export async function openObjectStore(location: StoreLocation): Promise<ObjectStore> {
  if (location.kind === 'disk') return openDiskStore(location.folder, location.freeBytesFloor);
  // Loaded only where it is used: the client is large.
  const { openS3Store } = await import('./s3.ts');
  return openS3Store(location);
}
