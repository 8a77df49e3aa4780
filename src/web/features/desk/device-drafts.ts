import { useMemo, useState } from 'react';
import * as z from 'zod/mini';
import { tryToStore } from '#web/backend/browser-storage.ts';
import { parseJson } from '#web/backend/parse-json.ts';
import { useUser } from '#web/backend/session.ts';

/** What is typed and has not reached the server, by the id of what it belongs to. */
export type DeviceDrafts<T> = Readonly<{
  read: (id: number) => T | undefined;
  /** `false` where the device keeps nothing. */
  keep: (id: number, draft: T) => boolean;
  forget: (id: number) => void;
}>;

const KEPT_MS = 7 * 24 * 3_600_000;
const Kept = z.object({ at: z.number() });

/**
 * Drafts on this device outlive a crash and a logout; another account does not see them (decisions 0244, 0369). Those
 * that nobody has changed for a week go when any is opened.
 */
export function openDrafts<T extends object>(
  kind: string,
  account: string,
  schema: z.ZodMiniType<T>,
  now: () => number = Date.now,
): DeviceDrafts<T> {
  const getKey = (id: number): string => `${kind}:${account}:${id}`;
  removeOld(`${kind}:`, schema, now());
  return {
    read: (id) => z.safeParse(schema, parseJson(localStorage.getItem(getKey(id)) ?? 'null')).data,
    keep: (id, draft) => tryToStore(localStorage, getKey(id), JSON.stringify({ ...draft, at: now() })),
    forget: (id) => localStorage.removeItem(getKey(id)),
  };
}

function removeOld(prefix: string, schema: z.ZodMiniType, now: number): void {
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(prefix)) continue;
    const draft = parseJson(localStorage.getItem(key) ?? 'null');
    const { at = 0 } = z.safeParse(Kept, draft).data ?? {};
    if (now - at > KEPT_MS || !z.safeParse(schema, draft).success) localStorage.removeItem(key);
  }
}

const Text = z.object({ text: z.string() });

/** A text about a contribution that has not been sent: a note for the team, or the mail to the contributor. */
export function useKeptText(kind: 'note_draft' | 'mail_draft', contribution: number) {
  const account = useUser()?.id ?? '';
  const drafts = useMemo(() => openDrafts(kind, account, Text), [kind, account]);
  const [found] = useState(() => drafts.read(contribution)?.text ?? '');
  const [kept, setKept] = useState(found !== '');
  const forget = (): void => {
    drafts.forget(contribution);
    setKept(false);
  };
  const keep = (text: string): void => (text.trim() === '' ? forget() : setKept(drafts.keep(contribution, { text })));
  return {
    /** What an earlier visit left, or ''. */
    found,
    /** Whether what is typed now is on the device. */
    kept,
    keep,
    forget,
  };
}
