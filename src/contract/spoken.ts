import * as z from 'zod/mini';

export const TRANSCRIPTION_PATH = '/v1/audio/transcriptions';

/** What was said from `start` (seconds) on, until the next one; shaped as in a service's `verbose_json`. */
export const SpokenSegmentSchema = z.object({ start: z.number(), text: z.string() });
export type SpokenSegment = z.infer<typeof SpokenSegmentSchema>;

/** More than a recording of five minutes has. */
const MOST = 2_000;

/** The usable segments of whatever a service or the database gives, in order; none where it has no times. */
export function spokenSegments(given: unknown): SpokenSegment[] {
  if (!Array.isArray(given)) return [];
  return given
    .slice(0, MOST)
    .flatMap((one: unknown) => {
      const { success, data } = SpokenSegmentSchema.safeParse(one);
      if (!success || !Number.isFinite(data.start) || data.start < 0) return [];
      const text = data.text.trim();
      return text === '' ? [] : [{ start: data.start, text }];
    })
    .toSorted((a, b) => a.start - b.start);
}
