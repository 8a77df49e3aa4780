import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';
import type { DeskPost } from '#web/backend/posts.ts';

/** A row of the inbox. */
export function deskItem(facts: Partial<DeskItem> = {}): DeskItem {
  return {
    id: 7,
    area: 'firma-a',
    kind: 'interview',
    topic: 'tech-dive',
    contributor: 'Ada Lovelace',
    contributorEmail: 'ada@beispiel.test',
    createdAt: '2026-11-20T09:30:00Z',
    changedAt: '2026-11-20T09:40:00Z',
    state: 'new',
    finished: true,
    files: 2,
    assignee: null,
    assigneeEmail: null,
    version: 1,
    excerpt: 'Wir haben eine neue Prüfmaschine gebaut.',
    posts: null,
    ...facts,
  };
}

export function deskPage(items: readonly DeskItem[] = [deskItem()], facts: Partial<DeskPage> = {}): DeskPage {
  return { items: [...items], next: null, counts: { new: items.length }, ...facts };
}

export function deskContribution(facts: Partial<DeskContribution> = {}): DeskContribution {
  return {
    ...deskItem(),
    transcript: 'Interviewer: Was hast du gebaut?\n\nDu: Eine Prüfmaschine.',
    answers: null,
    firstName: 'Ada',
    lastName: 'Lovelace',
    completedAt: '2026-11-20T09:40:00Z',
    publishedUrl: null,
    fileList: [],
    turns: [],
    events: [],
    ...facts,
  };
}

/** A post of the contribution. */
export function deskPost(facts: Partial<DeskPost> & Readonly<{ body?: string }> = {}): DeskPost {
  const { body = 'Die Pumpe läuft.', version = 1 } = facts;
  const at = '2026-11-20T09:30:00Z';
  return {
    id: 1,
    contribution: 7,
    channel: 'linkedin',
    state: 'draft',
    version,
    sentVersion: null,
    publishedUrl: null,
    publishedAt: null,
    withdrawnAt: null,
    createdAt: at,
    changedAt: at,
    current: { version, body, pictures: [], origin: 'person', model: null, by: null, at },
    answers: [],
    ...facts,
  };
}
