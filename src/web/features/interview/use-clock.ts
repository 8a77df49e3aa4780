import { useEffect, useState } from 'react';

/** Seconds of an interview: `before` (ms) and, while it runs, the time since `since` (ms). */
export function useSeconds(before: number, since: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (since === undefined) return undefined;
    const tick = (): void => setNow(Date.now());
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [since]);
  const running = since === undefined ? 0 : Math.max(0, now - since);
  return Math.floor((before + running) / 1000);
}

/** Reads a level for every frame while `running`. */
export function useLevel(running: boolean, read: () => number): number {
  const [level, setLevel] = useState(0);
  useEffect(() => {
    if (!running) return undefined;
    let frame = 0;
    const next = (): void => {
      setLevel(Math.round(read() * 50) / 50);
      frame = requestAnimationFrame(next);
    };
    next();
    return () => cancelAnimationFrame(frame);
  }, [running, read]);
  return running ? level : 0;
}
