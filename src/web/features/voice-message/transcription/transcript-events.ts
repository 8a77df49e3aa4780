import * as z from 'zod/mini';
import { parseJson } from '#web/backend/parse-json.ts';

/** How far the server is with a recording. */
export type TranscriptionProgress = Readonly<{
  /** What is understood so far. */
  text: string;
  /** Seconds of the recording; undefined where the server does not tell. */
  audio?: Readonly<{ doneS: number; totalS: number }>;
  /** The place in the queue, 1 being next; undefined once the work has begun. */
  place?: number;
}>;

const DeltaSchema = z.object({ type: z.literal('transcript.text.delta'), delta: z.string() });
const QueuedSchema = z.object({ type: z.literal('transcript.queued'), place: z.number() });
const ProgressSchema = z.object({
  type: z.literal('transcript.progress'),
  done_seconds: z.number(),
  total_seconds: z.number(),
});

/** Reads a body that grows, each event once. `body` is all of it that has come so far. */
export type EventReader = Readonly<{ read: (body: string) => TranscriptionProgress | undefined }>;

export function createEventReader(): EventReader {
  let at = 0;
  let progress: TranscriptionProgress = { text: '' };
  return {
    read: (body) => {
      const end = body.lastIndexOf('\n\n');
      if (end < at) return undefined;
      const before = progress;
      for (const event of parseEvents(body.slice(at, end + 2))) progress = advance(progress, event);
      at = end + 2;
      return progress === before ? undefined : progress;
    },
  };
}

function advance(progress: TranscriptionProgress, event: unknown): TranscriptionProgress {
  const { text, audio } = progress;
  const queued = QueuedSchema.safeParse(event).data;
  if (queued !== undefined) return { ...progress, place: queued.place };
  const moved = ProgressSchema.safeParse(event).data;
  if (moved !== undefined) return { text, audio: { doneS: moved.done_seconds, totalS: moved.total_seconds } };
  const delta = DeltaSchema.safeParse(event).data;
  if (delta !== undefined) return { text: text + delta.delta, ...(audio === undefined ? {} : { audio }) };
  return progress;
}

/** The data of each event; comments and other lines are skipped. */
export function parseEvents(body: string): unknown[] {
  return body.split('\n').flatMap((line) => (line.startsWith('data:') ? [parseJson(line.slice('data:'.length))] : []));
}
