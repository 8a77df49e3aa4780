import { SAMPLE_RATE } from './decode.ts';

/** Seconds. A piece ends at the quietest moment between both. */
export type PieceLength = Readonly<{ shortestS: number; longestS: number }>;

export type Piece = Readonly<{ from: number; to: number }>;

const FRAME = SAMPLE_RATE / 50;
/** A pause of 0.2 s: shorter ones are inside words. */
const PAUSE_FRAMES = 10;
/** -60 dB of full scale: a recording without a voice is louder. */
const SILENCE_LEVEL = 33;

/** Cuts a recording at pauses, so that progress shows, a turn goes between and a cancelled job ends soon. */
export function cutAtPauses(samples: Int16Array, { shortestS, longestS }: PieceLength, begin = 0): Piece[] {
  const pieces: Piece[] = [];
  let from = begin;
  while (samples.length - from > longestS * SAMPLE_RATE) {
    const to = findPause(samples, from + shortestS * SAMPLE_RATE, from + longestS * SAMPLE_RATE);
    pieces.push({ from, to });
    from = to;
  }
  if (samples.length > from) pieces.push({ from, to: samples.length });
  return pieces;
}

/** The middle of the quietest 0.2 s between two positions. */
function findPause(samples: Int16Array, from: number, to: number): number {
  const energies = listEnergies(samples.subarray(from, to));
  let window = energies.slice(0, PAUSE_FRAMES).reduce((sum, energy) => sum + energy, 0);
  let best = { window, frame: 0 };
  for (let frame = 1; frame + PAUSE_FRAMES <= energies.length; frame += 1) {
    window += (energies[frame + PAUSE_FRAMES - 1] ?? 0) - (energies[frame - 1] ?? 0);
    // Of equally quiet moments the last one, because a model understands more of a longer piece.
    if (window <= best.window) best = { window, frame };
  }
  return from + Math.round((best.frame + PAUSE_FRAMES / 2) * FRAME);
}

function listEnergies(samples: Int16Array): number[] {
  const energies: number[] = [];
  for (let start = 0; start < samples.length; start += FRAME) {
    let sum = 0;
    for (const sample of samples.subarray(start, start + FRAME)) sum += sample * sample;
    energies.push(sum);
  }
  return energies;
}

/** Models invent words for silence, so they do not get to hear it. */
export function isSilent(samples: Int16Array): boolean {
  return listEnergies(samples).every((energy) => energy < SILENCE_LEVEL ** 2 * FRAME);
}
