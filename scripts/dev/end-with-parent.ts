// Preloaded (`--import`) by `npm run dev`: the channel to it closes however it ends, also by SIGKILL, and a server
// without it would keep its port and its data folder.
process.once('disconnect', end);
process.channel?.unref();
if (!process.connected) end();

function end(): void {
  process.kill(process.pid, 'SIGTERM');
}
