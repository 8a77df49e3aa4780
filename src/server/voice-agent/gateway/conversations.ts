import type { Conversation } from './conversation.ts';
import { ENDINGS } from '../wire/ending.ts';

/** All conversations of this server, and those just over whose row may still be named. */
export type Conversations = Readonly<{
  add: (conversation: Conversation, subject: string) => void;
  /** The conversation, if it is this subject's. */
  find: (id: string, subject: string) => Conversation | undefined;
  /** Keeps it findable for a while, and sees that everything said reaches the database. */
  over: (id: string) => void;
  /** Ends all and waits for what is not written yet. */
  close: () => Promise<void>;
}>;

const FINDABLE_MS = 10 * 60_000;
const WRITING_MAX_MS = 5_000;

export function createConversations(): Conversations {
  const known = new Map<string, { conversation: Conversation; subject: string }>();
  const writing = new Set<Promise<void>>();
  return {
    add: (conversation, subject) => void known.set(conversation.id, { conversation, subject }),
    find: (id, subject) => {
      const found = known.get(id);
      return found?.subject === subject ? found.conversation : undefined;
    },
    over: (id) => {
      const found = known.get(id);
      if (found === undefined) return;
      const done = found.conversation.recorder.finish().finally(() => writing.delete(done));
      writing.add(done);
      setTimeout(() => known.delete(id), FINDABLE_MS).unref();
    },
    close: async () => {
      for (const { conversation } of known.values()) conversation.end(ENDINGS.goingAway);
      const timer = Promise.withResolvers<void>();
      const cancel = setTimeout(timer.resolve, WRITING_MAX_MS);
      await Promise.race([Promise.allSettled(writing), timer.promise]);
      clearTimeout(cancel);
    },
  };
}
