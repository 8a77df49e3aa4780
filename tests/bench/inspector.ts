import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { CpuProfile, HeapProfile } from './places.ts';

/** The profiler of another Node process, which was started with `--inspect`. */
export type Inspector = Readonly<{
  begin: () => Promise<void>;
  /** Ends the recording and the connection. */
  end: () => Promise<{ cpu: CpuProfile; heap: HeapProfile }>;
}>;

const EVERY_US = 250;
const EVERY_BYTES = 32 * 1024;

/** `said`: what the process printed, its inspector's address among it. */
export async function connectInspector(said: string): Promise<Inspector> {
  const address = /ws:\/\/\S+/.exec(said)?.[0];
  if (address === undefined) throw new Error('the process has no inspector');
  const socket = new WebSocket(address, { maxPayload: 0 });
  await once(socket, 'open');
  const waiting = new Map<number, (result: unknown) => void>();
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: unknown };
    waiting.get(id)?.(result);
  });
  const call = async <T>(method: string, params: object = {}): Promise<T> => {
    const id = waiting.size + 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    return (await promise) as T;
  };
  return {
    begin: async () => {
      await call('Profiler.enable');
      await call('Profiler.setSamplingInterval', { interval: EVERY_US });
      await call('HeapProfiler.startSampling', {
        samplingInterval: EVERY_BYTES,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      });
      await call('Profiler.start');
    },
    end: async () => {
      const { profile: cpu } = await call<{ profile: CpuProfile }>('Profiler.stop');
      const { profile: heap } = await call<{ profile: HeapProfile }>('HeapProfiler.stopSampling');
      socket.close();
      return { cpu, heap };
    },
  };
}
