import { getMessage } from '#lib/error-code.ts';
import type { CommandContext } from '../../command.ts';
import { readEnv, type Env } from '../../env.ts';
import { agrees } from './compare.ts';
import { MoveError, toMoveError } from './errors.ts';
import { compare, dryRun, move, type Run, type Step } from './move.ts';
import { removeLedger } from './plan-files.ts';
import { openSource } from './source.ts';
import { openTarget, type Target } from './target.ts';
import * as texts from './texts.ts';

type Action = 'move' | 'dry-run' | 'compare' | 'finish' | 'help';

const ACTIONS: Readonly<Record<string, Action>> = {
  '--dry-run': 'dry-run',
  '--compare': 'compare',
  '--finish': 'finish',
  '--help': 'help',
  '-h': 'help',
};

/** undefined where the arguments are not understood. Without `--` before it npm keeps an option to itself. */
export function readAction(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Action | undefined {
  const isKept = (option: string): boolean => variables[`npm_config_${option.slice(2).replace('-', '_')}`] === 'true';
  const [first, ...rest] = [...args, ...Object.keys(ACTIONS).filter(isKept)];
  if (rest.length > 0) return undefined;
  return first === undefined ? 'move' : ACTIONS[first];
}

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/**
 * `npm run move-to-hosted`. Resolves to the exit code. 0: done and both sides are the same, 1: failed or they differ,
 * 2: wrong arguments.
 */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const action = readAction(args, context.variables);
  if (action === undefined) context.err(texts.USAGE);
  if (action === 'help') context.out(texts.USAGE);
  if (action === undefined || action === 'help') return action === 'help' ? EXIT.done : EXIT.usage;
  const { variables, signal } = context;
  let left: keyof typeof texts.LEFT_AS = 'untouched';
  const onStep = (step: Step): void => {
    if (step.kind === 'rows-moved') left = 'begun';
    report(step, action, context);
  };
  try {
    // A move needs no public key, which readEnv requires for the server's browsers.
    const env = readEnv({ ...variables, SUPABASE_KEY: variables['SUPABASE_KEY'] ?? 'none' });
    const target = await openTarget(env, signal);
    try {
      return await run({ action, env, context, target, onStep });
    } finally {
      await target.close();
    }
  } catch (error) {
    context.err(
      `${describeFailure(signal.aborted ? new MoveError('stopped') : error, variables)}\n${texts.LEFT_AS[left]}\n`,
    );
    return EXIT.failed;
  }
}

type Task = Readonly<{
  action: Exclude<Action, 'help'>;
  env: Env;
  context: CommandContext;
  target: Target;
  onStep: (step: Step) => void;
}>;

async function run({ action, env, context, target, onStep }: Task): Promise<number> {
  if (action === 'finish') {
    await removeLedger(target);
    context.out(texts.FINISHED);
    return EXIT.done;
  }
  const source = await openSource(env, context.variables);
  try {
    const run: Run = { source, target, signal: context.signal, onStep, describe: texts.describeConflict };
    if (action === 'dry-run') {
      await dryRun(run);
      return EXIT.done;
    }
    const { compared, missing } = action === 'move' ? await move(run) : { compared: await compare(run), missing: [] };
    context.out(texts.comparison(compared));
    if (missing.length > 0) context.err(texts.missingFiles(missing));
    const same = compared.every(agrees);
    if (same) context.out(texts.ALL_SAME + (action === 'move' ? texts.settings(target.url) : ''));
    else context.err(texts.NOT_SAME);
    return same ? EXIT.done : EXIT.failed;
  } finally {
    await source.close();
  }
}

function report(step: Step, action: Action, { out }: CommandContext): void {
  switch (step.kind) {
    case 'planned':
      out(texts.planned(step.plan, action === 'dry-run' ? 'would' : 'does'));
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

function describeFailure(error: unknown, variables: NodeJS.ProcessEnv): string {
  const known = toMoveError(error, variables['DATA_DIR'] ?? 'data');
  return known === undefined ? getMessage(error) : texts.describeError(known);
}
