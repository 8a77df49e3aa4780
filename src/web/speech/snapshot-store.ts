/** Keeps a snapshot and tells its subscribers of every change, as `useSyncExternalStore` needs it. */
export class SnapshotStore<Snapshot extends object> {
  #snapshot: Snapshot;
  readonly #subscribers = new Set<() => void>();

  constructor(first: Snapshot) {
    this.#snapshot = first;
  }

  readonly subscribe = (call: () => void): (() => void) => {
    this.#subscribers.add(call);
    return () => void this.#subscribers.delete(call);
  };

  readonly snapshot = (): Snapshot => this.#snapshot;

  protected update(change: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const call of this.#subscribers) call();
  }
}
