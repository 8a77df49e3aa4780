import * as z from 'zod/mini';

/**
 * received: the team has not begun · waiting: a post waits for the contributor's answer · closed: nothing of it
 * appears · unfinished: the contact details are missing.
 */
export const OWN_STATES = ['unfinished', 'received', 'in_progress', 'waiting', 'published', 'closed'] as const;
export type OwnState = (typeof OWN_STATES)[number];

export const OWN_PAGE = 25;

/** `rpc('own_contributions', { before_at, before_id })`: the caller's own, newest first. */
export const OwnContributionsSchema = z.array(
  z.object({
    id: z.number(),
    createdAt: z.string(),
    /** Null while the desk's line is missing; unknown ones are shown as they are. */
    kind: z.nullable(z.string()),
    topic: z.nullable(z.string()),
    area: z.nullable(z.string()),
    files: z.number(),
    transcript: z.boolean(),
    state: z.enum(OWN_STATES),
    /** Without a channel: as the desk noted it for the whole contribution. */
    links: z.array(z.object({ channel: z.nullable(z.string()), url: z.string() })),
    /** Posts were sent for review: a new link opens the page to answer on. Absent before that migration. */
    review: z.optional(z.boolean()),
  }),
);
export type OwnContribution = z.infer<typeof OwnContributionsSchema>[number];
