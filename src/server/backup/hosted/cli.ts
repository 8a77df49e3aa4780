import { runInProcess } from '../../command.ts';
import { MoveError } from './errors.ts';
import { runCommand } from './run.ts';

await runInProcess(runCommand, new MoveError('stopped'));
