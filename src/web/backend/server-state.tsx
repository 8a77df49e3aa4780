import { type ComponentType, type ReactNode, useId } from 'react';
import {
  type Query,
  QueryClient,
  QueryClientProvider,
  useMutation,
  type UseMutationOptions,
  useQueryClient,
} from '@tanstack/react-query';
import { BackendProvider } from './client.ts';
import { useConnectedBackend, useUser } from './session.ts';

const RETRY_MS = 500;

/**
 * Decision 0204: the server's state on the screens of administration, desk and account. Requests ignore
 * `navigator.onLine`, so that a screen reports a lost connection at once. Data leaves the memory with its screen.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: (failures, error) => failures === 0 && isTransportError(error),
        retryDelay: RETRY_MS,
        refetchOnWindowFocus: false,
        gcTime: 0,
      },
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
}

/** Refusals are answers; only a request without an answer is sent again. */
function isTransportError(error: Error): boolean {
  const code = 'problem' in error ? error.problem : 'kind' in error ? error.kind : undefined;
  return code === 'unreachable';
}

let current: Readonly<{ owner: string; client: QueryClient }> | undefined;

/** One client for all screens; another account gets a new one. */
function getClient(owner: string): QueryClient {
  if (current?.owner !== owner) current = { owner, client: createQueryClient() };
  return current.client;
}

export function ServerStateProvider({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  const owner = useUser()?.id ?? '';
  // A mounted query would keep the client it began with.
  return (
    <QueryClientProvider key={owner} client={getClient(owner)}>
      {children}
    </QueryClientProvider>
  );
}

/** For a screen of its own: waits (Suspense) for the client, and gives it and the server's state to what is below. */
export function ConnectedScreen({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>{children}</ServerStateProvider>
    </BackendProvider>
  );
}

/** The same for a screen that is always shown within it. */
export function connected<P extends object>(Screen: ComponentType<P>): ComponentType<P> {
  return function Connected(props) {
    return (
      <ConnectedScreen>
        <Screen {...props} />
      </ConnectedScreen>
    );
  };
}

/** Runs an action once at a time: `run` ignores a call while another runs, and returns whether the action succeeded. */
export function useAction<T, R, C = unknown>(action: UseMutationOptions<R, Error, T, C>) {
  const client = useQueryClient();
  const mutationKey = [useId()];
  const { mutateAsync, isPending, error, variables, reset } = useMutation({ ...action, mutationKey });
  const run = async (input: T): Promise<boolean> => {
    if (client.isMutating({ mutationKey }) > 0) return false;
    return mutateAsync(input).then(
      () => true,
      () => false,
    );
  };
  const clear = (): void => {
    if (!isPending) reset();
  };
  return { run, busy: isPending, error, input: variables, reset: clear };
}

export const POLLING_MS = 15_000;
const MAX_MS = 8 * POLLING_MS;

/** Options of a query that asks again while the page is visible, and at once when it is shown or connected again. */
export const POLLING = {
  refetchInterval: choosePause,
  refetchOnWindowFocus: 'always',
  refetchOnReconnect: 'always',
  retry: false,
} as const;

type PolledState = Pick<Query['state'], 'status' | 'dataUpdatedAt' | 'errorUpdatedAt'>;

/** After a failure the pause is as long as the outage so far. */
export function choosePause({ state }: Readonly<{ state: PolledState }>): number {
  const { status, dataUpdatedAt, errorUpdatedAt } = state;
  if (status !== 'error') return POLLING_MS;
  const outage = dataUpdatedAt === 0 ? 0 : errorUpdatedAt - dataUpdatedAt;
  return Math.min(MAX_MS, Math.max(2 * POLLING_MS, outage));
}
