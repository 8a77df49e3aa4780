import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMatrixKernel } from './matrix-kernel.ts';
import { readOnnxWeights } from './onnx-weights.ts';

const numbers = (length: number): fc.Arbitrary<Float32Array> =>
  fc.float32Array({ minLength: length, maxLength: length, noNaN: true, min: -8, max: 8 });

const cases = fc
  .record({ rows: fc.integer({ min: 1, max: 70 }), columns: fc.integer({ min: 1, max: 70 }), at: fc.nat(5) })
  .chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      matrix: numbers(shape.rows * shape.columns),
      input: numbers(shape.columns),
    }),
  );

test('Multiplies matrices of any size as plain loops do', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ shape: { rows, columns, at }, matrix, input }) => {
      const kernel = await createMatrixKernel(65_536);
      const loaded = kernel.loadMatrix(matrix, rows, columns);
      const vector = kernel.allocate(at + columns);
      vector.values.set(input, at);
      const output = kernel.allocate(at + loaded.rows);
      output.values.fill(1);
      kernel.multiplyAdd(output, loaded, vector, at, at);
      const expected = Array.from({ length: rows }, (_, row) =>
        input.reduce((sum, value, column) => sum + value * (matrix[row * columns + column] ?? 0), 1),
      );
      for (const [row, value] of expected.entries()) expect(output.values[at + row]).toBeCloseTo(value, 2);
      expect([...output.values.subarray(0, at)]).toEqual(Array.from({ length: at }, () => 1));
    }),
    { numRuns: 50 },
  );
});

test('Refuses a model file that breaks off', async () => {
  const model = await readFile(new URL('silero_vad_v5.onnx', import.meta.url));
  expect(readOnnxWeights(model, 'then_branch').get('encoder.0.reparam_conv.bias')).toHaveLength(128);
  expect(() => readOnnxWeights(model.subarray(0, -1_000), 'then_branch')).toThrow(RangeError);
});
