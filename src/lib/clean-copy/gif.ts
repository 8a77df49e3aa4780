import { createEditList, type Edit } from './edits.ts';
import { UncleanableError, type FileReader } from './file-reader.ts';

const HEAD_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** How often the animation repeats, and the colour profile. */
const KEPT = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/** Takes out comments, texts, XMP and other extensions, and what follows the end. */
export async function planGif(file: FileReader): Promise<readonly Edit[]> {
  const edits = createEditList();
  const [flags = 0] = await file.read(10, 1);
  for (let at = HEAD_BYTES + measureTable(flags); ;) {
    const [kind = 0] = await file.read(at, 1);
    if (kind === TRAILER) {
      edits.remove(at + 1, file.size);
      return edits.finish();
    }
    const start = at;
    if (kind === IMAGE) {
      const [table = 0] = await file.read(at + 9, 1);
      at = await skipBlocks(file, at + 11 + measureTable(table));
    } else if (kind === EXTENSION) {
      const [label = 0] = await file.read(at + 1, 1);
      at = await skipBlocks(file, at + 2);
      if (!(await isNeeded(file, start, label))) edits.remove(start, at);
    } else throw new UncleanableError('an unknown block');
  }
}

async function isNeeded(file: FileReader, start: number, label: number): Promise<boolean> {
  if (label === GRAPHIC_CONTROL) return true;
  if (label !== APPLICATION) return false;
  const head = await file.read(start + 2, 12);
  return head[0] === 11 && KEPT.has(head.toString('latin1', 1, 12));
}

async function skipBlocks(file: FileReader, from: number): Promise<number> {
  for (let at = from; ;) {
    const [length = 0] = await file.read(at, 1);
    at += 1 + length;
    if (length === 0) return at;
  }
}

function measureTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}
