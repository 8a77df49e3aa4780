import { AREAS } from '#contract/areas.ts';
import type { OwnContribution } from '#contract/own-contributions.ts';
import type { FlowState } from '#web/submission/flow.ts';
import { texts } from './texts.ts';

const LIST = new Intl.ListFormat('de', { type: 'conjunction' });

/** What a contribution still lacks, as a list in words. */
export function describeMissing(row: OwnContribution): string {
  return texts.missing.list(LIST.format([...listMaterial(row), texts.missing.contact]));
}

function listMaterial({ kind, files, transcript }: OwnContribution): readonly string[] {
  const { missing } = texts;
  if (transcript) return [];
  if (kind === 'interview') return [files === 0 ? missing.conversation : missing.transcript];
  if (kind === 'voice_message') return [files === 0 ? missing.recording : missing.transcript];
  if (files > 0) return [];
  return [kind === 'video' || kind === 'image' || kind === 'document' ? missing[kind] : missing.files];
}

type WayOn = Readonly<{ href: string; state: FlowState }>;

/** Where an unfinished contribution goes on: at the first thing it lacks, else at the contact details. */
export function findWayOn(row: OwnContribution): WayOn | undefined {
  const area = AREAS.find(({ id }) => id === row.area);
  if (area === undefined) return undefined;
  const way = WAYS[row.kind ?? ''];
  const state = { interviewId: String(row.id), ...(way === undefined ? {} : { way }) };
  const to = (part: string, more: FlowState = {}): WayOn => ({
    href: `${area.base}/${part}`,
    state: { ...state, ...more },
  });
  if (row.transcript) return to('thank-you');
  if (row.files > 0) return row.kind === 'voice_message' ? to('transcript-edit', { transcript: '' }) : to('thank-you');
  const begin = findBeginning(row);
  return begin !== undefined && area.flows.some((flow) => flow === begin.split('/')[0]) ? to(begin) : to('thank-you');
}

/** As the flows name their ways (decision 0259). */
const WAYS: Readonly<Record<string, string>> = {
  interview: 'interview',
  voice_message: 'voice',
  video: 'video',
  image: 'image',
  document: 'document',
};

const BEGINNINGS: Readonly<Record<string, string>> = {
  voice_message: 'voice-message',
  video: 'video-upload',
  image: 'image-upload',
  document: 'document-upload',
  contributor: 'upload',
};

function findBeginning({ kind, topic }: OwnContribution): string | undefined {
  if (kind === 'interview') return topic === null ? undefined : `interview/${topic}`;
  return BEGINNINGS[kind ?? ''];
}
