import { Component, lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { afterLoad } from '#web/ui/after-load.ts';

/**
 * A part that stands beside the screens and is fetched after the first of them. Whether it cannot be had or fails, it
 * takes nothing with it: somebody may be recording. A browser asks for a module once a page, so nothing stands in its
 * place until the next one.
 */
export function beside<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ReactNode {
  const Part = lazy(async () => {
    await afterLoad();
    return { default: await load() };
  });
  return (props) => (
    <Alone>
      <Suspense>
        <Part {...props} />
      </Suspense>
    </Alone>
  );
}

class Alone extends Component<Readonly<{ children: ReactNode }>, Readonly<{ failed: boolean }>> {
  override state = { failed: false };

  static getDerivedStateFromError(): Readonly<{ failed: boolean }> {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}
