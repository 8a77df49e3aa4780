import { runKeysCommand } from './run.ts';

process.exitCode = await runKeysCommand(process.argv.slice(2), process.env);
