/**
 * Between a microphone's or loudspeaker's sample rate and the voice agent's, for browsers that give every audio context
 * the device's own rate (Firefox, iOS). It takes the place of the resampler which the client would load from a foreign
 * server: the client's worklets look for `LibSampleRate` in their global scope.
 */
globalThis.LibSampleRate = {
  /** One channel; `from` and `to` in Hz. */
  create: async (_channels, from, to) => ({ full: resampler(from, to) }),
};

/** Call after call on consecutive pieces of one stream: what is left of a piece is the start of the next. */
function resampler(from, to) {
  const step = from / to;
  let kept = new Float32Array(0);
  /** Where the next sample begins, in samples of `kept`. */
  let at = 0;
  return (piece) => {
    const input = new Float32Array(kept.length + piece.length);
    input.set(kept);
    input.set(piece, kept.length);
    const read = step > 1 ? meanOf : between;
    const reach = step > 1 ? step : 1;
    const count = Math.max(0, Math.floor((input.length - reach - at) / step) + 1);
    const output = new Float32Array(count);
    for (let index = 0; index < count; index += 1) output[index] = read(input, at + index * step, step);
    at += count * step;
    const used = Math.min(Math.floor(at), input.length);
    kept = input.slice(used);
    at -= used;
    return output;
  };
}

/** Downwards: the mean over the time of one sample, so that what is too high for the new rate does not fold back. */
function meanOf(input, start, length) {
  const end = start + length;
  let sum = 0;
  for (let index = Math.floor(start); index < end; index += 1) {
    const share = Math.min(index + 1, end) - Math.max(index, start);
    sum += (input[index] ?? 0) * share;
  }
  return sum / length;
}

/** Upwards: on the line between two samples. */
function between(input, position) {
  const index = Math.floor(position);
  const here = input[index] ?? 0;
  const next = input[index + 1] ?? here;
  return here + (next - here) * (position - index);
}
