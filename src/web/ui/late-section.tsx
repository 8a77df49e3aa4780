import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

type LateSectionProps = Readonly<{
  late: ReactNode;
  children: ReactNode;
  /** Where the browser keeps the pixels that it took the last time. */
  storageKey: string;
}>;

/**
 * `late` comes after the screen and belongs above `children`. Where it was there the last time, its height is kept
 * free; else it goes below them, so that nothing moves away under a finger.
 */
export function LateSection({ late, children, storageKey }: LateSectionProps): ReactNode {
  const [height] = useState(() => Number(localStorage.getItem(storageKey)));
  const place = useRememberedHeight(storageKey);
  if (height === 0)
    return (
      <>
        {children}
        <div ref={place} className="flow-root has-[>:not([hidden])]:mt-8">
          {late}
        </div>
      </>
    );
  return (
    <>
      <div ref={place} style={reserve(height)} className="flow-root empty:min-h-(--reserved)">
        {late}
      </div>
      {children}
    </>
  );
}

const reserve = (height: number): CSSProperties => ({ ['--reserved' as string]: `${height}px` });

/** Nothing is remembered before the part has come: a part that has nothing to show comes as a hidden element. */
function useRememberedHeight(key: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (box === null || !('ResizeObserver' in globalThis)) return undefined;
    const observer = new ResizeObserver(() => {
      if (box.firstElementChild !== null) localStorage.setItem(key, String(box.offsetHeight));
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [key]);
  return place;
}
