import { readEnv, type Env } from '../../env.ts';
import { readWish, type Wish } from './arguments.ts';
import { agrees } from './compare.ts';
import { faultOf } from './fault-of.ts';
import { MoveFault } from './faults.ts';
import { compare, dryRun, finish, move, type Run, type Step } from './move.ts';
import { openSource } from './source.ts';
import { openTarget, type Target } from './target.ts';
import * as texts from './texts.ts';

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export type Surroundings = Readonly<{
  variables: NodeJS.ProcessEnv;
  out: (text: string) => void;
  err: (text: string) => void;
  signal: AbortSignal;
}>;

/** Resolves to the exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const wish = readWish(args);
  if (wish === undefined) around.err(texts.USAGE);
  if (wish === 'help') around.out(texts.USAGE);
  if (wish === undefined || wish === 'help') return wish === 'help' ? EXIT.done : EXIT.usage;
  const { variables, signal } = around;
  let left: keyof typeof texts.LEFT_AS = 'untouched';
  const tell = (step: Step): void => {
    if (step.kind === 'rows-moved') left = 'begun';
    report(step, wish, around);
  };
  try {
    // The public key, which the server needs for its browsers, plays no part here.
    const env = readEnv({ ...variables, SUPABASE_KEY: variables['SUPABASE_KEY'] ?? 'none' });
    const target = await openTarget(env, signal);
    try {
      return await act({ wish, env, around, target, tell });
    } finally {
      await target.close();
    }
  } catch (error) {
    around.err(`${wordsFor(signal.aborted ? new MoveFault('stopped') : error, variables)}\n${texts.LEFT_AS[left]}\n`);
    return EXIT.failed;
  }
}

type Act = Readonly<{
  wish: Exclude<Wish, 'help'>;
  env: Env;
  around: Surroundings;
  target: Target;
  tell: (step: Step) => void;
}>;

async function act({ wish, env, around, target, tell }: Act): Promise<number> {
  if (wish === 'finish') {
    await finish(target);
    around.out(texts.FINISHED);
    return EXIT.done;
  }
  const source = await openSource(env, around.variables);
  try {
    const run: Run = { source, target, signal: around.signal, tell, describe: texts.stranger };
    if (wish === 'dry-run') {
      await dryRun(run);
      return EXIT.done;
    }
    const { compared, missing } = wish === 'move' ? await move(run) : { compared: await compare(run), missing: [] };
    around.out(texts.comparison(compared));
    if (missing.length > 0) around.err(texts.missingFiles(missing));
    const same = compared.every(agrees);
    if (same) around.out(texts.ALL_SAME + (wish === 'move' ? texts.settings(target.url) : ''));
    else around.err(texts.NOT_SAME);
    return same ? EXIT.done : EXIT.failed;
  } finally {
    await source.close();
  }
}

function report(step: Step, wish: Wish, { out }: Surroundings): void {
  switch (step.kind) {
    case 'planned':
      out(texts.planned(step.plan, wish === 'dry-run' ? 'would' : 'does'));
      break;
    case 'rows-moved':
      out(texts.ROWS_MOVED);
      break;
    case 'buckets-moved':
      if (step.names.length > 0) out(texts.bucketsMoved(step.names));
      break;
    default:
      if (step.done === step.total || step.done % Math.ceil(step.total / 20) === 0)
        out(texts.fileMoved(step.done, step.total));
  }
}

function wordsFor(error: unknown, variables: NodeJS.ProcessEnv): string {
  const fault = faultOf(error, variables['DATA_DIR'] ?? 'data');
  if (fault !== undefined) return texts.faultText(fault);
  return error instanceof Error ? error.message : String(error);
}
