import { createBrowserHistory, type HistoryLocation, type RouterHistory } from '@tanstack/react-router';
import { createContext, use, useSyncExternalStore } from 'react';
import { ARRIVALS, arrivalAt, type Arrival } from '#web/backend/arrival.ts';

/**
 * The router is @tanstack/history and the table in routes.ts. The rest of TanStack Router would be a quarter of what
 * the login screen loads, and its typed paths cannot know routes that come from data (D1).
 */
export function openHistory(): RouterHistory {
  const history = createBrowserHistory();
  const found = arrivalAt(window.location);
  if (found === undefined) return history;
  // Out of the address at once: neither the client nor a reload is to read it again.
  history.replace(found.to, { arrival: found.arrival });
  history.flush();
  return history;
}

/** How the user came back here, where the entry's state says so. */
export function arrivalIn(state: object): Arrival | undefined {
  return 'arrival' in state ? ARRIVALS.find((arrival) => arrival === state.arrival) : undefined;
}

const Context = createContext<RouterHistory | undefined>(undefined);

export const HistoryProvider = Context.Provider;

/** Throws outside of the application. */
export function useHistory(): RouterHistory {
  const history = use(Context);
  if (history === undefined) throw new Error('useHistory outside of HistoryProvider');
  return history;
}

/** Where the user is: path, query, fragment and the state of the history entry. */
export function usePlace(): HistoryLocation {
  const history = useHistory();
  return useSyncExternalStore(history.subscribe, () => history.location);
}
