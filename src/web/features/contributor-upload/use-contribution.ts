import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { useBackendConfig, useBackendLoader, type BackendClient } from '#web/backend/client.ts';
import { isKind } from '#web/backend/errors.ts';
import { keepLinkedKey } from '#web/submission/keys.ts';
import { openSending } from '#web/submission/load-sending.ts';
import { numericId } from '#web/submission/local-id.ts';
import { fileTexts } from '#web/submission/texts.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useUserId } from '#web/submission/use-user-id.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/**
 * open: files can be chosen; without an id one is made with the first upload (D9) · refused: this browser may not work
 * on that contribution (any more) · closed: no login, no link, and contributions without them are switched off.
 */
type Contribution = Readonly<
  { status: 'loading' } | { status: 'open' | 'closed'; id: string | undefined } | { status: 'refused'; id: string }
>;

/** Which contribution this screen adds to (§2.10, D4, D9): the link's, else the one at hand, else a new one. */
export function useContribution() {
  const loadBackend = useBackendLoader();
  const { store, currentId, exchangeIfKnown } = useSubmission();
  const toast = useToast();
  const userId = useUserId();
  const [contribution, setContribution] = useState<Contribution>({ status: 'loading' });
  const round = useRef(0);
  const signedIn = typeof userId === 'string';
  const mayStart = useBackendConfig().openContributions || signedIn;

  const look = useCallback(async () => {
    round.current += 1;
    const mine = round.current;
    const link = takeContributorLink();
    if (link !== undefined) {
      store.keepInterviewId(link.interviewId);
      store.keepDescribed(link.interviewId);
    }
    const id = link?.interviewId ?? currentId();
    const progress = await lookUp(loadBackend, id).catch((error: unknown) => {
      if (!isKind(error, 'unreachable')) toast({ ...fileTexts.idFailed, variant: 'destructive' });
      return 'open';
    });
    // A key alone adds nothing to a complete contribution, so its link is dead before anything is chosen.
    const found = progress === 'open' || (progress === 'complete' && signedIn);
    if (mine !== round.current) return;
    if (id === undefined) return setContribution({ status: mayStart ? 'open' : 'closed', id });
    if (!found) toast({ ...texts.noContentId, variant: 'destructive' });
    setContribution({ status: found ? 'open' : 'refused', id });
  }, [loadBackend, store, currentId, toast, mayStart, signedIn]);
  useLookAtLinks(userId, look, round);

  const restart = () => {
    store.clear();
    setContribution({ status: 'open', id: undefined });
  };
  const adopt = (id: string) => setContribution({ status: 'open', id });
  return { contribution: withLatestId(contribution, exchangeIfKnown), mayStart, restart, adopt };
}

/** How far the contribution has come; one without a number is on this device only. */
async function lookUp(loadBackend: () => Promise<BackendClient>, id: string | undefined) {
  const number = numericId(id);
  if (number === undefined) return 'open';
  const { client, findProgress } = await openSending(loadBackend, id);
  return findProgress(client, number);
}

/** Looks now and whenever another link is opened. The result of a look is ignored once the screen is left. */
function useLookAtLinks(
  userId: ReturnType<typeof useUserId>,
  look: () => Promise<void>,
  round: RefObject<number>,
): void {
  useEffect(() => {
    if (userId === undefined) return undefined;
    const again = () => void look();
    again();
    window.addEventListener('hashchange', again);
    return () => {
      round.current += 1;
      window.removeEventListener('hashchange', again);
    };
  }, [userId, look, round]);
}

function withLatestId(contribution: Contribution, exchangeIfKnown: (id: string) => string): Contribution {
  if (contribution.status !== 'open' || contribution.id === undefined) return contribution;
  return { ...contribution, id: exchangeIfKnown(contribution.id) };
}

/** A key as the database takes one: nothing shorter holds 256 bits. */
const KEY = /^[A-Za-z0-9_-]{43,128}$/;

type ContributorLink = Readonly<{ interviewId: string; key: string }>;

/** D9: `#i=<id>&k=<key>`. */
export function parseContributorLink(fragment: string): ContributorLink | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const interviewId = fields.get('i') ?? '';
  const key = fields.get('k') ?? '';
  return numericId(interviewId) !== undefined && KEY.test(key) ? { interviewId, key } : undefined;
}

/**
 * Takes the link out of the address bar, so that it is not read there or in the history, and keeps its key for this
 * tab.
 */
function takeContributorLink(): ContributorLink | undefined {
  const link = parseContributorLink(window.location.hash);
  if (/[#&][ik]=/.test(window.location.hash)) {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
  if (link !== undefined) keepLinkedKey(link.interviewId, link.key);
  return link;
}
