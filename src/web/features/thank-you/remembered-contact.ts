import { useState } from 'react';
import * as z from 'zod/mini';
import { useBackend } from '#web/backend/client.ts';
import type { Contact } from '#web/backend/interviews.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { ownerHere } from '#web/submission/outbox/outbox.ts';

export const EMPTY = { firstName: '', lastName: '', email: '' };

/** Draft of this tab, else what this device remembers, else the address of the account. */
export function useRememberedContact() {
  const { config } = useBackend();
  const owner = ownerHere(config);
  const [remembered] = useState(() => readRememberedContact(owner));
  const [foreign, setForeign] = useState(false);
  const [first] = useState(
    () => readContactDraft() ?? remembered ?? { ...EMPTY, email: storedUser(config.supabaseUrl)?.email ?? '' },
  );
  return {
    first,
    remembered,
    /** Whether the person has said that this is another person's device. */
    foreign,
    setForeign: (next: boolean) => {
      setForeign(next);
      if (next) forgetRememberedContact(owner);
    },
    keep: (contact: Contact) => {
      forgetContactDraft();
      if (!foreign) rememberContact(owner, contact);
    },
  };
}

/** Contact details of earlier contributions, on this device, by account (decision 0256). */
const REMEMBERED_PREFIX = 'contact_details:';

/** What is typed and not sent yet; it outlives a reload. */
const DRAFT_KEY = 'contact_draft';

const ContactSchema = z.object({ firstName: z.string(), lastName: z.string(), email: z.string() });

function readRememberedContact(owner: string): Contact | undefined {
  return parseContact(localStorage.getItem(REMEMBERED_PREFIX + owner));
}

function rememberContact(owner: string, contact: Contact): void {
  write(localStorage, REMEMBERED_PREFIX + owner, contact);
}

function forgetRememberedContact(owner: string): void {
  localStorage.removeItem(REMEMBERED_PREFIX + owner);
}

function readContactDraft(): Contact | undefined {
  return parseContact(sessionStorage.getItem(DRAFT_KEY));
}

export function keepContactDraft(contact: Contact): void {
  write(sessionStorage, DRAFT_KEY, contact);
}

function forgetContactDraft(): void {
  sessionStorage.removeItem(DRAFT_KEY);
}

function parseContact(text: string | null): Contact | undefined {
  try {
    return ContactSchema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

function write(storage: Storage, key: string, contact: Contact): void {
  try {
    storage.setItem(key, JSON.stringify(contact));
  } catch {
    console.warn(`browser storage: ${DRAFT_KEY} could not be kept`);
  }
}
