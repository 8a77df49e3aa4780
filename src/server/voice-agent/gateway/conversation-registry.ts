import type { Conversation } from './conversation.ts';
import { ENDINGS } from '../errors.ts';

const FINDABLE_MS = 10 * 60_000;
const WRITING_MAX_MS = 5_000;

/** Finds the conversations of this server, also for a while after their end: a client may still bind a row. */
export function createConversationRegistry() {
  const known = new Map<string, { conversation: Conversation; subject: string }>();
  const writing = new Set<Promise<unknown>>();
  return {
    add: (conversation: Conversation, subject: string): void =>
      void known.set(conversation.id, { conversation, subject }),
    /** The conversation, if it belongs to this subject. */
    find: (id: string, subject: string): Conversation | undefined => {
      const found = known.get(id);
      return found?.subject === subject ? found.conversation : undefined;
    },
    /** Writes what is left of an ended conversation and forgets it after a while. */
    release: (id: string): void => {
      const found = known.get(id);
      if (found === undefined) return;
      const { turnLog, lastWords } = found.conversation;
      const finished = Promise.all([turnLog.finish(), lastWords().then(turnLog.finish)]);
      const done = finished.finally(() => writing.delete(done));
      writing.add(done);
      setTimeout(() => known.delete(id), FINDABLE_MS).unref();
    },
    /** Ends all conversations and waits for their writes. */
    close: async (): Promise<void> => {
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

export type ConversationRegistry = ReturnType<typeof createConversationRegistry>;
