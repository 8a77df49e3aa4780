import { runInProcess } from '../command.ts';
import { BackupError } from './errors.ts';
import { runCommand } from './run.ts';

await runInProcess(runCommand, new BackupError('stopped'));
