import { Component, type ReactNode } from 'react';
import { Crashed } from './crashed.tsx';

type State = Readonly<{ failed: boolean }>;

/** Give it the path as key: another screen is another attempt. */
export class ErrorBoundary extends Component<Readonly<{ children: ReactNode }>, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <Crashed /> : this.props.children;
  }
}
