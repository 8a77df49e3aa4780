import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';

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
