const ORIENTATION = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;
const NORMAL = 1;
const LAST_ORIENTATION = 8;

/** The orientation in the first directory of a TIFF block, 1 to 8; 1 where it says none or is broken. */
export function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return NORMAL;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return NORMAL;
  const little = order === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return NORMAL;
  const count = short(directory);
  for (let entry = 0; entry < count; entry += 1) {
    const at = directory + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return NORMAL;
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 2) === SHORT ? short(at + 8) : NORMAL;
    return value >= NORMAL && value <= LAST_ORIENTATION ? value : NORMAL;
  }
  return NORMAL;
}

/** A TIFF block with the orientation alone; undefined where the picture stands upright without it. */
export function writeOrientation(orientation: number): Buffer | undefined {
  if (orientation === NORMAL) return undefined;
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** A valid TIFF block that says nothing. */
export const EMPTY_TIFF = Buffer.from('4d4d002a00000008000000000000', 'hex');
