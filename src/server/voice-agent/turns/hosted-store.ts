import { z } from 'zod';
import { readJson } from '#http/limited-answer.ts';
import { SERVICE_LIMITS } from '../../service-request.ts';
import type { Holder } from '../access/callers.ts';
import { RefusedError, type Batch, type InterviewRow, type TurnStore } from './store.ts';

const TIMEOUT_MS = 8_000;

const InterviewRows = z.array(z.object({ transcript: z.string().nullable(), user_id: z.string().nullable() })).max(1);
const RoleRows = z.array(z.object({ role: z.string() })).max(1);
const AnswerRows = z.array(z.object({ w_questions_answers: z.record(z.string(), z.string()).nullable() })).max(1);

type Request = (
  holder: Holder,
  path: string,
  change?: Readonly<{ method: string; body: unknown; prefer?: string }>,
) => Promise<unknown>;

/** Stores turns in a hosted project through its REST interface, with the public key and the holder's credentials. */
export function createHostedTurnStore({ url, key }: Readonly<{ url: string; key: string }>): TurnStore {
  const request: Request = async (holder, path, change) => {
    const response = await fetch(`${url}/rest/v1/${path}`, {
      method: change?.method ?? 'GET',
      headers: {
        apikey: key,
        ...getCredentials(holder),
        ...(change === undefined
          ? {}
          : { 'content-type': 'application/json', prefer: change.prefer ?? 'return=minimal' }),
      },
      ...(change === undefined ? {} : { body: JSON.stringify(change.body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) {
      if (change === undefined) return readJson(response.body, SERVICE_LIMITS.projectBytes);
      return response.body?.cancel();
    }
    await response.body?.cancel();
    if (response.status >= 500 || response.status === 429) throw new Error(`backend answered ${response.status}`);
    throw new RefusedError(String(response.status));
  };
  return {
    open: (holder, interviewId) => openInterview(request, holder, interviewId),
    getRole: async (holder, userId) => {
      const path = `user_roles?select=role&user_id=eq.${encodeURIComponent(userId)}`;
      const [roles, isMissing] = await Promise.all([
        request(holder, path),
        request(holder, 'rpc/second_factor_missing'),
      ]);
      return isMissing === false ? RoleRows.parse(roles)[0]?.role : undefined;
    },
    save: (holder, batch) => saveBatch(request, holder, batch),
  };
}

function getCredentials({ token, context }: Holder): Record<string, string> {
  const interviewKey = context.headers['x-interview-key'];
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(typeof interviewKey === 'string' ? { 'x-interview-key': interviewKey } : {}),
  };
}

async function openInterview(request: Request, holder: Holder, id: number): Promise<InterviewRow | undefined> {
  const path = `interviews?select=transcript,user_id&id=eq.${id}`;
  const row = InterviewRows.parse(await request(holder, path))[0];
  if (row === undefined) return undefined;
  // An admin reads every interview but writes only the own ones and those an interview key opens.
  const own = holder.userId !== undefined && row.user_id === holder.userId;
  const bound = own || InterviewRows.parse(await request({ ...holder, token: undefined }, path)).length === 1;
  return bound ? { id, transcript: row.transcript ?? '' } : undefined;
}

/** Makes several requests, each repeatable: turns by their position, transcript and answers by their content. */
async function saveBatch(request: Request, holder: Holder, batch: Batch): Promise<{ transcriptKept: boolean }> {
  const place = { interview_id: batch.interviewId, conversation_id: batch.conversationId };
  if (batch.turns.length > 0) {
    await request(holder, 'interview_turns?on_conflict=interview_id,conversation_id,position', {
      method: 'POST',
      prefer: 'resolution=ignore-duplicates,return=minimal',
      body: batch.turns.map(({ position, speaker, text: content }) => ({ ...place, position, speaker, content })),
    });
  }
  if (batch.feedback.length > 0) {
    const rows = batch.feedback.map(({ eventId: event_id, score }) => ({ ...place, event_id, score }));
    await request(holder, 'feedback', { method: 'POST', body: rows });
  }
  if (Object.keys(batch.wAnswers).length > 0) await saveAnswers(request, holder, batch);
  return { transcriptKept: batch.transcript === undefined || (await saveTranscript(request, holder, batch)) };
}

async function saveAnswers(request: Request, holder: Holder, { interviewId, wAnswers }: Batch): Promise<void> {
  const path = `interviews?id=eq.${interviewId}`;
  const rows = AnswerRows.parse(await request(holder, `${path}&select=w_questions_answers`));
  const body = { w_questions_answers: { ...rows[0]?.w_questions_answers, ...wAnswers } };
  await request(holder, path, { method: 'PATCH', body });
}

async function saveTranscript(request: Request, holder: Holder, { interviewId, transcript }: Batch): Promise<boolean> {
  const path = `interviews?id=eq.${interviewId}`;
  const row = InterviewRows.parse(await request(holder, `${path}&select=transcript,user_id`))[0];
  // A transcript is too long for a filter in the address, so a simultaneous edit is overwritten.
  const isOurs = ['', transcript?.now, ...(transcript?.expected ?? [])].includes(row?.transcript ?? '');
  if (row === undefined || !isOurs) return false;
  await request(holder, path, { method: 'PATCH', body: { transcript: transcript?.now } });
  return true;
}
