/** Tensors by their name. */
export type Weights = ReadonlyMap<string, Float32Array>;

/** Numbers of fields in ONNX's protocol buffers (onnx.proto). */
const MODEL = { graph: 7 };
const GRAPH = { node: 1 };
const NODE = { attribute: 5 };
const ATTRIBUTE = { name: 1, tensor: 5, graph: 6 };
const TENSOR = { name: 8, raw: 9 };

/**
 * Reads the constant float tensors of one branch of an ONNX model, such as `then_branch` of the choice between two
 * sample rates. Throws RangeError for a file that breaks off.
 */
export function readOnnxWeights(model: Buffer, branch: string): Weights {
  const weights = new Map<string, Float32Array>();
  for (const attribute of findAttributes(model, [MODEL.graph])) {
    if (readText(attribute, ATTRIBUTE.name) !== branch) continue;
    for (const constant of findAttributes(attribute, [ATTRIBUTE.graph])) {
      for (const tensor of find(constant, ATTRIBUTE.tensor)) {
        const [raw] = find(tensor, TENSOR.raw);
        const name = readText(tensor, TENSOR.name);
        if (raw !== undefined && name !== '') weights.set(name, toFloats(raw));
      }
    }
  }
  return weights;
}

/** The attributes of all nodes of a graph. */
function findAttributes(from: Buffer, path: readonly number[]): Buffer[] {
  return [...path, GRAPH.node, NODE.attribute].reduce(
    (found, number) => found.flatMap((bytes) => find(bytes, number)),
    [from],
  );
}

function find(message: Buffer, number: number): Buffer[] {
  return [...readFields(message)].filter((field) => field.number === number).map((field) => field.bytes);
}

function readText(message: Buffer, number: number): string {
  return find(message, number)[0]?.toString('utf8') ?? '';
}

function toFloats(raw: Buffer): Float32Array {
  // Every platform that Node runs on has ONNX's order of bytes; a copy starts at a multiple of four.
  return new Float32Array(Uint8Array.from(raw).buffer);
}

/** The fields of a message that have a length; numbers are skipped. */
function* readFields(message: Buffer): Generator<Readonly<{ number: number; bytes: Buffer }>> {
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at);
      at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = readNumber();
    const kind = key & 7;
    if (kind === 0) readNumber();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else {
      const length = readNumber();
      if (at + length > message.length) throw new RangeError('the model breaks off');
      yield { number: key >>> 3, bytes: message.subarray(at, at + length) };
      at += length;
    }
  }
}
