/** What the database's own files still hold of deleted rows. */
export type Remains = Readonly<{
  /** Something is going to be deleted. */
  expect: () => void;
  /** Where something was. Throws where the database is busy; then it is for the next time. */
  remove: () => Promise<void>;
}>;

export function createRemains(compact: () => Promise<void>): Remains {
  let expected = false;
  return {
    expect: () => void (expected = true),
    remove: async () => {
      if (!expected) return;
      await compact();
      expected = false;
    },
  };
}
