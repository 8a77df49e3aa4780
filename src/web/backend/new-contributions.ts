import { useMemo } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBackend } from './client.ts';
import { connectDesk, isRefusal } from './desk.ts';
import { POLLING } from './server-state.tsx';
import { useSessionStore } from './session.ts';

/** Valid until the change token differs. */
type NewCount = Readonly<{ token: string; count: number }>;

/** How many contributions the desk has not begun; for administrators only. Undefined until the first answer. */
export function useNewContributions(): number | undefined {
  const backend = useBackend();
  const store = useSessionStore();
  const client = useQueryClient();
  const desk = useMemo(
    () => connectDesk(backend, (problem) => (isRefusal(problem) ? void store.recheck() : undefined)),
    [backend, store],
  );
  const queryKey = ['desk', 'new count'];
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const seen = client.getQueryData<NewCount>(queryKey);
      const token = await desk.changeToken(signal);
      if (token === seen?.token) return seen;
      const { counts } = await desk.inbox({ limit: 1 }, signal);
      return { token, count: counts['new'] ?? 0 };
    },
    ...POLLING,
  });
  return data?.count;
}
