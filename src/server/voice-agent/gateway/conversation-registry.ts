import type { Conversation } from './conversation.ts';
import { ENDINGS } from '../errors.ts';

/** Finds the conversations of this server, also for a while after their end: a client may still bind a row. */
export type ConversationRegistry = Readonly<{
  add: (conversation: Conversation, subject: string) => void;
  /** The conversation, if it belongs to this subject. */
  find: (id: string, subject: string) => Conversation | undefined;
  /** Writes what is left of an ended conversation and forgets it after a while. */
  release: (id: string) => void;
  /** Ends all conversations and waits for their writes. */
  close: () => Promise<void>;
}>;

const FINDABLE_MS = 10 * 60_000;
const WRITING_MAX_MS = 5_000;

export function createConversationRegistry(): ConversationRegistry {
  const known = new Map<string, { conversation: Conversation; subject: string }>();
  const writing = new Set<Promise<unknown>>();
  return {
    add: (conversation, subject) => void known.set(conversation.id, { conversation, subject }),
    find: (id, subject) => {
      const found = known.get(id);
      return found?.subject === subject ? found.conversation : undefined;
    },
    release: (id) => {
      const found = known.get(id);
      if (found === undefined) return;
      const { turnLog, lastWords } = found.conversation;
      const finished = Promise.all([turnLog.finish(), lastWords().then(turnLog.finish)]);
      const done = finished.finally(() => writing.delete(done));
      writing.add(done);
      setTimeout(() => known.delete(id), FINDABLE_MS).unref();
    },
    close: async () => {
      for (const { conversation } of known.values()) {
        conversation.end(ENDINGS.goingAway);
        writing.add(conversation.turnLog.finish());
      }
      const timer = Promise.withResolvers<void>();
      const cancel = setTimeout(timer.resolve, WRITING_MAX_MS);
      await Promise.race([Promise.allSettled(writing), timer.promise]);
      clearTimeout(cancel);
    },
  };
}
