/** §2.5: the subject of an interview; also the last part of its route. */
export const TOPICS = ['engineering-path', 'behind-scenes', 'tech-dive', 'free-topic'] as const;
export type Topic = (typeof TOPICS)[number];
