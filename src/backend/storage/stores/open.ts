import type { FileReader, FileWriter, ObjectStore, StoreLocation } from './object-store.ts';
import { openDiskReader, openDiskStore } from './disk.ts';
import { openDiskWriter } from './disk-writer.ts';

export async function openObjectStore(location: StoreLocation): Promise<ObjectStore> {
  if (location.kind === 'disk') return openDiskStore(location);
  // Loaded only where it is used: the client is large.
  const { openS3Store } = await import('./s3.ts');
  return openS3Store(location);
}

export async function openFileWriter(location: StoreLocation): Promise<FileWriter> {
  if (location.kind === 'disk') return openDiskWriter(location.folder, location.minimumFree);
  const { openS3Writer } = await import('./s3.ts');
  return openS3Writer(location);
}

export async function openFileReader(location: StoreLocation): Promise<FileReader> {
  if (location.kind === 'disk') return openDiskReader(location.folder);
  const { openS3Reader } = await import('./s3.ts');
  return openS3Reader(location);
}
