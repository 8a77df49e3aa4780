import { use, type ComponentType, type ReactNode } from 'react';

export type Ahead<Props> = ((props: Props) => ReactNode) & Readonly<{ fetch: () => Promise<void> }>;

/**
 * A component that is loaded when it is first shown, or ahead of that. Unlike with React's `lazy`, what was fetched
 * ahead is shown at once: `lazy` shows the fallback all the same, and React lets nobody see a fallback for less than
 * 300 ms.
 */
export function ahead<Props extends object>(load: () => Promise<ComponentType<Props>>): Ahead<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  const ask = (): Promise<ComponentType<Props>> => {
    loading ??= load();
    return loading;
  };
  /** Never fails: what could not be fetched is asked for again when it is shown. */
  const fetch = async (): Promise<void> => {
    const asked = ask();
    try {
      // `use` reads these two at once, where a promise without them would suspend the screen first.
      const value = await asked;
      void Object.assign(asked, { status: 'fulfilled', value });
    } catch {
      loading = undefined;
    }
  };
  function Screen(props: Props): ReactNode {
    const Loaded = use(ask());
    return <Loaded {...props} />;
  }
  return Object.assign(Screen, { fetch });
}
