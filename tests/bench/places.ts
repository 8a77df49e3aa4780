import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { textTable } from '#tests/support/text-table.ts';

/** A function of the profiled program. Lines begin with 0. */
type CallFrame = Readonly<{ functionName: string; url: string; lineNumber: number }>;

/** The runtime's formats, as far as they are read here. Times in microseconds. */
export type CpuProfile = Readonly<{
  nodes: readonly Readonly<{ id: number; callFrame: CallFrame }>[];
  samples: readonly number[];
  timeDeltas: readonly number[];
}>;
type HeapNode = Readonly<{ callFrame: CallFrame; selfSize: number; children: readonly HeapNode[] }>;
export type HeapProfile = Readonly<{ head: HeapNode }>;

export type Place = Readonly<{ where: string; amount: number; percent: number }>;

const MOST = 10;
const MEBIBYTE = 1024 * 1024;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The places with the most milliseconds of their own; percent of the time that the processor was busy. */
export function listCpuPlaces({ nodes, samples, timeDeltas }: CpuProfile): Place[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const spent = samples.map((id, index) => [frames.get(id), (timeDeltas[index] ?? 0) / 1_000] as const);
  return rank(spent.filter(([frame]) => frame !== undefined && frame.functionName !== '(idle)'));
}

/** The places that allocated most MiB themselves. */
export function listHeapPlaces({ head }: HeapProfile): Place[] {
  const walk = (node: HeapNode): (readonly [CallFrame, number])[] => [
    [node.callFrame, node.selfSize / MEBIBYTE] as const,
    ...node.children.flatMap(walk),
  ];
  return rank(walk(head));
}

function rank(spent: readonly (readonly [CallFrame | undefined, number])[]): Place[] {
  const sums = new Map<string, number>();
  for (const [frame, amount] of spent) {
    const where = describeFrame(frame);
    sums.set(where, (sums.get(where) ?? 0) + amount);
  }
  const all = [...sums.values()].reduce((sum, amount) => sum + amount, 0);
  const most = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, MOST);
  return most.map(([where, amount]) => ({ where, amount, percent: (100 * amount) / Math.max(all, Number.MIN_VALUE) }));
}

function describeFrame(frame: CallFrame | undefined): string {
  if (frame === undefined) return '(unknown)';
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  if (frame.url === '') return name;
  // CommonJS modules have a path for their address.
  const place = frame.url.startsWith('file:') ? fileURLToPath(frame.url) : frame.url;
  const file = path.isAbsolute(place) ? path.relative(ROOT, place) : place;
  return `${name} ${file}:${frame.lineNumber + 1}`;
}

export function describePlaces(places: readonly Place[], unit: string): string {
  const cells = places.map(({ where, amount, percent }) => [
    where,
    `${amount.toFixed(1)} ${unit}`,
    `${percent.toFixed(1)} %`,
  ]);
  return textTable(['place', 'its own', 'share'], cells);
}
