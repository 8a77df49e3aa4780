import * as z from 'zod/mini';
import type { Contact } from '#web/backend/interviews.ts';

/** Contact details of earlier contributions, on this device, by account (decision 0256). */
const REMEMBERED_PREFIX = 'contact_details:';

/** What is typed and not sent yet; it outlives a reload. */
const DRAFT_KEY = 'contact_draft';

const ContactSchema = z.object({ firstName: z.string(), lastName: z.string(), email: z.string() });

export function readRememberedContact(owner: string): Contact | undefined {
  return parseContact(localStorage.getItem(REMEMBERED_PREFIX + owner));
}

export function rememberContact(owner: string, contact: Contact): void {
  write(localStorage, REMEMBERED_PREFIX + owner, contact);
}

export function forgetRememberedContact(owner: string): void {
  localStorage.removeItem(REMEMBERED_PREFIX + owner);
}

export function readContactDraft(): Contact | undefined {
  return parseContact(sessionStorage.getItem(DRAFT_KEY));
}

export function keepContactDraft(contact: Contact): void {
  write(sessionStorage, DRAFT_KEY, contact);
}

export function forgetContactDraft(): void {
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
