import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import { MAILBOX_PATTERN } from '#contract/addresses.ts';
import type { Area } from '#contract/areas.ts';
import { REDIRECT_AFTER_CONTACT_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import type { Contact } from '#web/backend/interviews.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { forgetContribution, getContributionClient, listKept } from '#web/submission/contribution-client.ts';
import { useFlow } from '#web/submission/flow.ts';
import { isLocalId } from '#web/submission/local-id.ts';
import { isFinished, type PartDraft } from '#web/submission/outbox/entry.ts';
import { ownerHere } from '#web/submission/outbox/outbox.ts';
import { getHeldParts, type KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { submitContact } from '#web/submission/saving.ts';
import { useDelayed, useShown } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { addressField, useForm } from '#web/ui/use-form.ts';
import { EMPTY, keepContactDraft, useRememberedContact } from './remembered-contact.ts';
import { texts } from './texts.ts';

/** §5 'Contact form'; `consent`: whether a text has to be agreed to (decision 0267). */
const createContactSchema = (consent: boolean) =>
  z.object({
    firstName: z.string().check(z.trim(), z.minLength(1, texts.invalid.firstName)),
    lastName: z.string().check(z.trim(), z.minLength(1, texts.invalid.lastName)),
    email: addressField(MAILBOX_PATTERN, texts.invalid.email),
    agreed: z.boolean().check(z.refine((agreed) => agreed || !consent, texts.invalid.consent)),
  });

const NAMES = ['firstName', 'lastName', 'email'] as const;

/**
 * §4 'Contact form submit': saves, clears the stored ids and returns to the area's start after 1.5 s. `spoken`: the
 * transcript of a local id, which the test area no longer stores once this screen is there (§2.11).
 */
export function useContact(keeping: KeepHandle, spoken: string | undefined) {
  const { currentId, exchangeIfKnown } = useSubmission();
  const toast = useToast();
  const busy = useRef(false);
  const saving = useRef<Promise<boolean>>(undefined);
  const [unsent, setUnsent] = useState<Contact>();
  const memory = useRememberedContact((interviewId) => exchangeIfKnown(interviewId) === currentId());
  const { sent, send, keep } = useSendContact(keeping, listTranscript(keeping, spoken), memory.keep);
  const submitOnce = async (contact: Contact): Promise<void> => {
    if (busy.current || sent) return;
    busy.current = true;
    try {
      if ((await saving.current) !== true) await send(contact);
    } catch (error) {
      const known = error instanceof BackendError;
      console.error('contact: not saved', known ? error.kind : '');
      if (known) setUnsent(contact);
      toast({ ...(known ? texts.contactFailed : texts.contactUnexpected), variant: 'destructive' });
    } finally {
      busy.current = false;
    }
  };
  /** Takes a contact along that could not be sent. A submit waits for it: both hand in what is held. */
  const keepForLater = async (): Promise<void> => {
    const id = currentId();
    if (id === undefined || busy.current) return;
    const choose = () => keeping.keep(listTranscript(keeping, spoken)).then(() => false);
    await (saving.current = unsent === undefined ? choose() : keep(id, unsent));
  };
  const form = useContactForm(memory.first, submitOnce);
  const setForeign = (foreign: boolean): void => {
    memory.setForeign(foreign);
    // Details of an earlier contribution go; what was typed now stays.
    if (foreign && isSame(form.getValues(), memory.remembered)) form.reset({ ...EMPTY, agreed: false });
  };
  const keepDraft = (): void => keepContactDraft(form.getValues(), currentId());
  return { form, sent, unsent: unsent !== undefined, keepForLater, foreign: memory.foreign, setForeign, keepDraft };
}

/** Each contribution is agreed to by itself: nothing remembers it. */
function useContactForm(first: Contact, onSubmit: (contact: Contact) => Promise<void>) {
  const { consent } = useBackend().config;
  return useForm(
    createContactSchema(consent !== undefined),
    { ...first, agreed: false },
    ({ firstName, lastName, email }) => onSubmit({ firstName, lastName, email, consent: consent?.version }),
  );
}

function isSame(shown: Contact, remembered: Contact | undefined): boolean {
  return remembered !== undefined && NAMES.every((name) => shown[name] === remembered[name]);
}

type Message = Readonly<{ title: string; description: string }>;

/** What is kept already is not replaced: it may have been edited since. */
function listTranscript({ entry }: KeepHandle, spoken: string | undefined): readonly PartDraft[] {
  const text = spoken?.trim() ?? '';
  return entry === undefined && text !== '' ? [{ kind: 'transcript', text }] : [];
}

function useSendContact(keeping: KeepHandle, others: readonly PartDraft[], onSent: (contact: Contact) => void) {
  const backend = useBackend();
  const { area } = useFlow();
  const { currentId } = useSubmission();
  const toast = useToast();
  const [sent, setSent] = useState(false);
  const end = useEnd();
  const finish = (interviewId: string, contact: Contact, message: Message) => {
    toast({ ...message, variant: 'good' });
    setSent(true);
    onSent(contact);
    end(interviewId);
  };
  const keep = async (interviewId: string, contact: Contact, message: Message = texts.contactInOutbox) => {
    const kept = await keeping.keep([...others, { kind: 'contact', contact }]);
    if (kept) finish(interviewId, contact, message);
    return kept;
  };
  const send = async (contact: Contact): Promise<void> => {
    const interviewId = currentId();
    if (interviewId === undefined) return toast({ ...describeMissingId(area), variant: 'destructive' });
    const waits = (await listKept(ownerHere(backend.config), interviewId)).some((entry) => !isFinished(entry));
    if ((waits || keeping.entry !== undefined) && (await keep(interviewId, contact))) return;
    const local = isLocalId(interviewId);
    const submit = () => submitContact(getContributionClient(backend, interviewId), interviewId, contact, new Date());
    if (!local && getHeldParts(interviewId).length === 0)
      return submit().then(() => finish(interviewId, contact, texts.contactSaved));
    // The contact details hand the contribution in: parts that only this browser has go through the outbox with them
    // (decision 0357). For a local id `submit` is the simulated wait (§4).
    if (local) await submit();
    const kept = await keep(interviewId, contact, local ? texts.contactLocal : texts.contactInOutbox);
    if (!kept) throw new BackendError('full', 'no space on this device');
  };
  return { sent, send, keep };
}

/** Forgets the contribution and goes on, unless the person has left the screen: they may have begun another. */
function useEnd(): (interviewId: string) => void {
  const { config } = useBackend();
  const { go, state } = useFlow();
  const { store, exchangeIfKnown } = useSubmission();
  const later = useDelayed();
  const shown = useShown();
  const signedIn = storedUser(config.supabaseUrl) !== undefined;
  return (interviewId) => {
    const id = exchangeIfKnown(interviewId);
    forgetContribution(store, id);
    if (!shown.current) return;
    // So that a reload or 'Zurück' does not ask for the details again.
    go({ to: 'thank-you', state: { ...state, interviewId, sent: true }, replace: true });
    // Without a login the start page is the login form: the contribution ends on this screen instead (decision 0257).
    if (signedIn) later(() => go({ to: 'home' }), REDIRECT_AFTER_CONTACT_MS);
  };
}

function describeMissingId({ thankYou }: Area): Message {
  return thankYou === 'test' ? texts.contactNoIdTest : texts.contactNoId;
}
