import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Processor times of the whole machine since its start, in ticks. */
export type Ticks = Readonly<{ busy: number; stolen: number; all: number }>;

/** What else the machine did: percent of its processors; undefined where the system does not tell. */
export type Disturbance = Readonly<{
  load: number;
  /** By others, right before the measurement, while nothing of ours worked. */
  othersBefore: number | undefined;
  /** Taken by the host during the measurement. */
  stolen: number | undefined;
}>;

const LOOK_MS = 500;
const MOST_OTHERS = 15;
const MOST_STOLEN = 3;

/** Parses the first line of Linux's /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, … */
export function parseTicks(stat: string): Ticks | undefined {
  const numbers = /^cpu +([\d ]+)/.exec(stat)?.[1]?.trim().split(/ +/).map(Number);
  if (numbers === undefined || numbers.length < 8) return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, stolen = 0] = numbers;
  const busy = user + nice + system + interrupts + soft;
  return { busy, stolen, all: busy + idle + waiting + stolen };
}

function readTicks(): Ticks | undefined {
  try {
    return parseTicks(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/** Percent of the time between two looks. */
export function share(part: 'busy' | 'stolen', from: Ticks | undefined, to: Ticks | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  return (100 * (to[part] - from[part])) / Math.max(1, to.all - from.all);
}

/** Looks at the idle machine, measures, and returns what disturbed the measurement. */
export async function watchMachine<T>(measure: () => Promise<T>): Promise<{ result: T; machine: Disturbance }> {
  const [before] = [readTicks(), await wait(LOOK_MS)];
  const begun = readTicks();
  const [load = 0] = loadavg();
  const result = await measure();
  const machine = {
    load,
    othersBefore: share('busy', before, begun),
    stolen: share('stolen', begun, readTicks()),
  };
  return { result, machine };
}

export function isDisturbed({ othersBefore = 0, stolen = 0 }: Disturbance): boolean {
  return othersBefore > MOST_OTHERS || stolen > MOST_STOLEN;
}

/** `load 7.1, others 63 %, steal 1 %`, with a mark where the figures are not to be trusted. */
export function describeMachine(machine: Disturbance): string {
  const percent = (value: number | undefined): string => (value === undefined ? '?' : `${value.toFixed(0)} %`);
  const { load, othersBefore, stolen } = machine;
  const facts = `load ${load.toFixed(1)}, others ${percent(othersBefore)}, steal ${percent(stolen)}`;
  return isDisturbed(machine) ? `LOADED: ${facts}` : facts;
}
