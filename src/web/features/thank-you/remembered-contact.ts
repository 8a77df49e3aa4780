import { useState } from 'react';
import * as z from 'zod/mini';
import { tryToStore } from '#web/backend/browser-storage.ts';
import { useBackend } from '#web/backend/client.ts';
import type { Contact } from '#web/backend/interviews.ts';
import { parseJson } from '#web/backend/parse-json.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { ownerHere } from '#web/submission/outbox/outbox.ts';

export const EMPTY = { firstName: '', lastName: '', email: '' };

/** Draft of the contribution at hand, else what this device remembers, else the address of the account. */
export function useRememberedContact(isAtHand: (interviewId: string) => boolean) {
  const { config } = useBackend();
  const key = REMEMBERED_PREFIX + ownerHere(config);
  const [remembered] = useState(() => ContactSchema.safeParse(parseJson(localStorage.getItem(key) ?? '')).data);
  const [foreign, setForeign] = useState(false);
  const [first] = useState(
    () => readContactDraft(isAtHand) ?? remembered ?? { ...EMPTY, email: storedUser(config.supabaseUrl)?.email ?? '' },
  );
  return {
    first,
    remembered,
    /** Whether the person has said that this is another person's device. */
    foreign,
    setForeign: (next: boolean) => {
      setForeign(next);
      if (next) localStorage.removeItem(key);
    },
    keep: (contact: Contact) => {
      sessionStorage.removeItem(DRAFT_KEY);
      if (!foreign) tryToStore(localStorage, key, JSON.stringify(contact));
    },
  };
}

/** Contact details of earlier contributions, on this device, by account (decision 0256). */
const REMEMBERED_PREFIX = 'contact_details:';

/** What is typed and not sent yet; it outlives a reload. The next contribution in this tab may be another person's. */
const DRAFT_KEY = 'contact_draft';

const ContactSchema = z.object({ firstName: z.string(), lastName: z.string(), email: z.string() });
const DraftSchema = z.extend(ContactSchema, { of: z.optional(z.string()) });

function readContactDraft(isAtHand: (interviewId: string) => boolean): Contact | undefined {
  const draft = DraftSchema.safeParse(parseJson(sessionStorage.getItem(DRAFT_KEY) ?? '')).data;
  if (draft === undefined) return undefined;
  const { of, ...contact } = draft;
  return of === undefined || isAtHand(of) ? contact : undefined;
}

export function keepContactDraft(contact: Contact, of: string | undefined): void {
  tryToStore(sessionStorage, DRAFT_KEY, JSON.stringify({ ...contact, of }));
}
