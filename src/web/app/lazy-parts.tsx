import { Component, type ComponentType, lazy, type ReactNode, Suspense, use } from 'react';
import { asLaterPart, type PartName } from '#web/backend/later-part.ts';
import { afterLoad } from '#web/ui/after-load.ts';

export type Prefetchable<Props> = ((props: Props) => ReactNode) & Readonly<{ fetch: () => Promise<void> }>;

const failedLoads = new Set<() => void>();

/** What could not be loaded is asked for again when it is shown the next time. */
export function forgetFailedLoads(): void {
  for (const forget of failedLoads) forget();
  failedLoads.clear();
}

/**
 * A component that is loaded when it is first shown, or ahead of that. A component fetched ahead is shown at once:
 * React's `lazy` shows the fallback all the same, and for at least 300 ms.
 */
export function lazyWithFetch<Props extends object>(load: () => Promise<ComponentType<Props>>): Prefetchable<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  const forget = (failed: typeof loading): void => {
    if (loading === failed) loading = undefined;
  };
  const request = (): Promise<ComponentType<Props>> => {
    if (loading !== undefined) return loading;
    const requested = load();
    // Kept until the failure is shown: replaced at once, it would be asked for without end.
    requested.catch(() => failedLoads.add(() => forget(requested)));
    loading = requested;
    return requested;
  };
  /** Never fails: a module that could not be fetched is asked for again when it is shown. */
  const fetch = async (): Promise<void> => {
    const requested = request();
    try {
      // `use` reads these two at once, where a promise without them would suspend the screen first.
      const value = await requested;
      void Object.assign(requested, { status: 'fulfilled', value });
    } catch {
      forget(requested);
    }
  };
  function Screen(props: Props): ReactNode {
    const Loaded = use(request());
    return <Loaded {...props} />;
  }
  return Object.assign(Screen, { fetch });
}

/**
 * A part beside the screens, fetched after the first of them, however often the connection is lost. Where it is missing
 * or fails, the screens stay: a recording may be running.
 */
export function lazyPart<Props extends object>(
  name: PartName,
  load: () => Promise<ComponentType<Props>>,
  when = afterLoad,
): (props: Props) => ReactNode {
  const loadPart = asLaterPart(name, load);
  const Part = lazy(async () => {
    await when();
    return { default: await loadPart() };
  });
  return (props) => (
    <Isolated>
      <Part {...props} />
    </Isolated>
  );
}

/** The same for a part that belongs to the first screen; fetched ahead, it is there with it. */
export function lazyPartAtOnce<Props extends object>(load: () => Promise<ComponentType<Props>>): Prefetchable<Props> {
  const Part = lazyWithFetch(load);
  const Shown = (props: Props): ReactNode => (
    <Isolated>
      <Part {...props} />
    </Isolated>
  );
  return Object.assign(Shown, { fetch: Part.fetch });
}

class Isolated extends Component<Readonly<{ children: ReactNode }>, Readonly<{ failed: boolean }>> {
  override state = { failed: false };

  static getDerivedStateFromError(): Readonly<{ failed: boolean }> {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : <Suspense>{this.props.children}</Suspense>;
  }
}
