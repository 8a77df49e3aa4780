import { createWriteStream } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileStore } from '@tus/file-store';
import type { FreeFloor } from '../object-store.ts';
import { writeError } from '../stores/disk.ts';
import { keepingFree } from '../stores/free-space.ts';

type DiskFilesOptions = Readonly<{ directory: string; lifeMs: number; freeBytesFloor: number | FreeFloor | undefined }>;

/** The library's files, which tells why bytes could not be written and never fills the disk to the last byte. */
export class DiskFiles extends FileStore {
  readonly #freeBytesFloor: number | FreeFloor | undefined;

  constructor({ directory, lifeMs, freeBytesFloor }: DiskFilesOptions) {
    super({ directory, expirationPeriodInMilliseconds: lifeMs });
    this.#freeBytesFloor = freeBytesFloor;
  }

  /** Returns the offset after the last byte. Throws StoreFullError and what `content` is destroyed with. */
  override async write(content: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(path.join(this.directory, id), { flags: 'r+', start: offset });
    try {
      await pipeline(content, keepingFree(this.directory, this.#freeBytesFloor), file);
    } catch (error) {
      throw writeError(error);
    }
    return offset + file.bytesWritten;
  }
}
