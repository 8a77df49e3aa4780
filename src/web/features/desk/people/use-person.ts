import { useCallback, useEffect, useRef, useState } from 'react';
import type { Person } from '#contract/desk-files.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { useDeskServer } from '../use-desk.ts';

export type PersonState =
  | Readonly<{ status: 'idle' | 'searching' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{ status: 'found'; person: Person }>;

const IDLE: PersonState = { status: 'idle' };

/** Searches what is stored about one address. */
export function usePerson(): Readonly<{ state: PersonState; search: (email: string) => void; reset: () => void }> {
  const server = useDeskServer();
  const [state, setState] = useState<PersonState>(IDLE);
  const asked = useRef<AbortController>(undefined);
  useEffect(() => () => asked.current?.abort(), []);
  const search = useCallback(
    (email: string) => {
      asked.current?.abort();
      const mine = new AbortController();
      asked.current = mine;
      setState({ status: 'searching' });
      server.person(email, mine.signal).then(
        (person) => (mine.signal.aborted ? undefined : setState({ status: 'found', person })),
        (error: unknown) =>
          mine.signal.aborted ? undefined : setState({ status: 'failed', problem: getDeskProblem(error) }),
      );
    },
    [server],
  );
  const reset = useCallback(() => setState(IDLE), []);
  return { state, search, reset };
}

const COUNTED = ['contributions', 'files', 'turns', 'feedback', 'mails', 'auditEntries'] as const;
export type PersonCount = (typeof COUNTED)[number];

/** Lists the non-zero counts in display order. */
export function listCounts(person: Person): readonly Readonly<{ name: PersonCount; count: number }>[] {
  return COUNTED.map((name) => ({ name, count: person[name] })).filter(({ count }) => count > 0);
}
