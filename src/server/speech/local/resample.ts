/** Zero crossings of the filter on each side: more cost time and gain nothing for speech. */
const LOBES = 16;

/** Changes the sample rate with a windowed sinc, which removes what the lower rate cannot hold. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const cutoff = Math.min(1, to / from);
  const reach = Math.ceil(LOBES / cutoff);
  const divisor = greatestCommonDivisor(from, to);
  const phases = to / divisor;
  const step = from / divisor;
  const filters = Array.from({ length: phases }, (_, phase) => makeFilter(phase / phases, cutoff, reach));
  const result = new Float32Array(Math.floor((samples.length * to) / from));
  for (let index = 0; index < result.length; index += 1) {
    const ticks = index * step;
    const center = Math.floor(ticks / phases);
    const filter = filters[ticks % phases] ?? new Float32Array();
    const first = center - reach + 1;
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < filter.length && first + tap < samples.length; tap += 1)
      sum += (samples[first + tap] ?? 0) * (filter[tap] ?? 0);
    result[index] = sum;
  }
  return result;
}

/** Weights of the samples around a point that lies `offset` of a sample behind the center; they add up to 1. */
function makeFilter(offset: number, cutoff: number, reach: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - offset;
    const angle = Math.PI * distance * cutoff;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1)));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
