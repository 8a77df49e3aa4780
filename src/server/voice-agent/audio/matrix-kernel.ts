/** `values` is a view of the kernel's memory. */
export type Vector = Readonly<{ address: number; values: Float32Array }>;
/** `rows` with the rows of zeros. */
export type Matrix = Readonly<{ address: number; rows: number; columns: number }>;

const FLOAT = 4;
/** Rows that are multiplied at once: eight sums of four numbers each fill the processor's pipeline. */
const GROUP = 32;
const PAGE = 65_536;

type Multiply = (output: number, matrix: number, input: number, groups: number, inputBytes: number) => void;

/** Multiplies matrices with vectors, four numbers at a time, in a memory of its own of `bytes`. */
export async function createMatrixKernel(bytes: number) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const { instance } = await WebAssembly.instantiate(assembleKernel(), { env: { memory } });
  const multiply = instance.exports['multiply'] as Multiply;
  let used = 0;
  /** Space for `length` numbers, all zero. */
  const allocate = (length: number): Vector => {
    const address = used;
    used += Math.ceil(length / 4) * 4 * FLOAT;
    return { address, values: new Float32Array(memory.buffer, address, length) };
  };
  return {
    allocate,
    /** `values` hold row after row. Rows are filled up with zeros to a multiple of 32. */
    loadMatrix: (values: Float32Array, rows: number, columns: number): Matrix => {
      const groups = Math.ceil(rows / GROUP);
      const { address, values: packed } = allocate(groups * GROUP * columns);
      for (let row = 0; row < rows; row += 1) {
        const start = Math.floor(row / GROUP) * GROUP * columns + (row % GROUP);
        for (let column = 0; column < columns; column += 1) {
          packed[start + column * GROUP] = values[row * columns + column] ?? 0;
        }
      }
      return { address, rows: groups * GROUP, columns };
    },
    /** Adds matrix · input to the output, from an index of each on. */
    multiplyAdd: (output: Vector, { address, rows, columns }: Matrix, input: Vector, inputAt = 0, outputAt = 0): void =>
      multiply(
        output.address + outputAt * FLOAT,
        address,
        input.address + inputAt * FLOAT,
        rows / GROUP,
        columns * FLOAT,
      ),
  };
}

export type MatrixKernel = Awaited<ReturnType<typeof createMatrixKernel>>;

/** Codes of the WebAssembly specification, as far as the kernel needs them. */
const OP = {
  loop: [0x03, 0x40],
  end: [0x0b],
  branchIf: [0x0d],
  get: [0x20],
  set: [0x21],
  tee: [0x22],
  constant: [0x41],
  lessThan: [0x49],
  add: [0x6a],
  subtract: [0x6b],
  load: [0xfd, 0x00],
  loadSplat: [0xfd, 0x09],
  store: [0xfd, 0x0b],
  addFloats: [0xfd, 0xe4, 0x01],
  multiplyFloats: [0xfd, 0xe6, 0x01],
} as const;
/** '\0asm', version 1. */
const MODULE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const V128 = 0x7b;
const FUNCTION = 0x60;

/** The kernel's parameters and variables by their index. */
const [OUTPUT, MATRIX, INPUT, GROUPS, INPUT_BYTES, AT, INPUT_END, NUMBER, SUMS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const LANE_BYTES = 16;
const SUM_COUNT = GROUP / 4;

/** For each group: sums = output; for each number of the input: sums += number · column of matrix; output = sums. */
function assembleKernel(): Uint8Array<ArrayBuffer> {
  const variables = [2, 2, I32, 1 + SUM_COUNT, V128];
  const code = [...variables, ...assembleBody()];
  return Uint8Array.from([
    ...MODULE,
    ...writeSection(1, [1, FUNCTION, 5, I32, I32, I32, I32, I32, 0]),
    ...writeSection(2, [1, ...writeName('env'), ...writeName('memory'), 2, 0, 1]),
    ...writeSection(3, [1, 0]),
    ...writeSection(7, [1, ...writeName('multiply'), 0, 0]),
    ...writeSection(10, [1, ...encode(code.length), ...code]),
  ]);
}

function assembleBody(): number[] {
  const sums = Array.from({ length: SUM_COUNT }, (_, at) => ({ index: SUMS + at, offset: at * LANE_BYTES }));
  const advance = (variable: number, bytes: number): number[] =>
    [OP.get, [variable], OP.constant, encodeSigned(bytes), OP.add, OP.set, [variable]].flat();
  return [
    OP.loop,
    sums.flatMap(({ index, offset }) => [...OP.get, OUTPUT, ...OP.load, 2, ...encode(offset), ...OP.set, index]),
    [...OP.get, INPUT, ...OP.tee, AT, ...OP.get, INPUT_BYTES, ...OP.add, ...OP.set, INPUT_END],
    OP.loop,
    [...OP.get, AT, ...OP.loadSplat, 2, 0, ...OP.set, NUMBER],
    sums
      .flatMap(({ index, offset }) => [
        [...OP.get, index, ...OP.get, NUMBER, ...OP.get, MATRIX, ...OP.load, 2, ...encode(offset)],
        [...OP.multiplyFloats, ...OP.addFloats, ...OP.set, index],
      ])
      .flat(),
    advance(MATRIX, GROUP * FLOAT),
    advance(AT, FLOAT),
    [...OP.get, AT, ...OP.get, INPUT_END, ...OP.lessThan, ...OP.branchIf, 0],
    OP.end,
    sums.flatMap(({ index, offset }) => [...OP.get, OUTPUT, ...OP.get, index, ...OP.store, 2, ...encode(offset)]),
    advance(OUTPUT, GROUP * FLOAT),
    [...OP.get, GROUPS, ...OP.constant, 1, ...OP.subtract, ...OP.tee, GROUPS, ...OP.branchIf, 0],
    OP.end,
    OP.end,
  ].flat();
}

function writeSection(kind: number, content: readonly number[]): number[] {
  return [kind, ...encode(content.length), ...content];
}

function writeName(name: string): number[] {
  return [name.length, ...Buffer.from(name)];
}

/** LEB128 without a sign. */
function encode(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encode(value >>> 7)];
}

/** LEB128 of a positive number whose sign bit has to stay clear. */
function encodeSigned(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...encodeSigned(value >>> 7)];
}
