import type { SpokenSegment } from '#contract/spoken.ts';

const RATE = 8_000;
const SYLLABLE_S = 0.19;
const PAUSE_S = 0.45;
const HEADER_BYTES = 44;
/** Formants of five vowels in Hz (first, second). */
const VOWELS: Readonly<Record<string, readonly [number, number]>> = {
  a: [730, 1090],
  e: [530, 1840],
  i: [270, 2290],
  o: [570, 840],
  u: [300, 870],
};

export type Recording = Readonly<{ wav: Buffer; spoken: readonly SpokenSegment[] }>;

/** A murmur in the rhythm of the text: one vowel a syllable, a pause after each sentence. Nobody's voice. */
export function speak(text: string, pitch: number): Recording {
  const sentences = text.match(/[^.!?]+[.!?]+/g)?.map((sentence) => sentence.trim()) ?? [text];
  const spoken: SpokenSegment[] = [];
  const samples: number[] = [];
  for (const sentence of sentences) {
    spoken.push({ start: Math.round((samples.length / RATE) * 100) / 100, text: sentence });
    const vowels = sentence
      .toLowerCase()
      .replace(/ä|ö|ü/g, 'e')
      .match(/[aeiou]+/g) ?? ['a'];
    for (const [place, vowel] of vowels.entries()) {
      const melody = pitch * (1.12 - (0.24 * place) / vowels.length);
      samples.push(...sing(VOWELS[vowel.charAt(0)] ?? [730, 1090], melody));
    }
    samples.push(...Array.from({ length: Math.round(PAUSE_S * RATE) }, () => 0));
  }
  return { wav: toWav(samples), spoken };
}

/** One syllable: the harmonics of the pitch, loudest near the vowel's formants. */
function sing([first, second]: readonly [number, number], pitch: number): number[] {
  const harmonics = Array.from({ length: Math.floor(RATE / 2 / pitch) }, (_, index) => {
    const frequency = pitch * (index + 1);
    const near = (formant: number): number => Math.exp(-(((frequency - formant) / 160) ** 2));
    return { frequency, gain: 0.05 / (index + 1) + near(first) + 0.5 * near(second) };
  }).filter(({ gain }) => gain > 0.02);
  const length = Math.round(SYLLABLE_S * RATE);
  return Array.from({ length }, (_, index) => {
    const time = index / RATE;
    const loudness = Math.sin((Math.PI * index) / length) ** 0.7 * 0.22;
    return (
      loudness *
      harmonics.reduce((sum, { frequency, gain }) => sum + gain * Math.sin(2 * Math.PI * frequency * time), 0)
    );
  });
}

/** 16-bit PCM, one channel. */
function toWav(samples: readonly number[]): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples.length * 2, 40);
  for (const [index, sample] of samples.entries())
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), HEADER_BYTES + index * 2);
  return wav;
}
