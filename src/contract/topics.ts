import * as z from 'zod/mini';

/** §2.5: the subject of an interview; also the last part of its route. */
export const TOPICS = ['engineering-path', 'behind-scenes', 'tech-dive', 'free-topic'] as const;
export const TopicSchema = z.enum(TOPICS);
export type Topic = z.infer<typeof TopicSchema>;
