import type { Conversation } from './conversation.ts';
import { ENDINGS } from '../errors.ts';

const FINDABLE_MS = 10 * 60_000;
const WRITING_MAX_MS = 5_000;

/** Finds the conversations of this server, also for a while after their end: a client may still bind a row. */
export function createConversationRegistry() {
  const known = new Map<string, { conversation: Conversation; subject: string }>();
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
      void finish(found.conversation);
      setTimeout(() => known.delete(id), FINDABLE_MS).unref();
    },
    /** For an interview that is resumed: its line may be dead without this server's knowledge. */
    endOf: (interviewId: number, subject: string): Promise<void> =>
      endAll(
        [...known.values()].filter((one) => one.subject === subject && one.conversation.turnLog.isOf(interviewId)),
      ),
    close: (): Promise<void> => endAll([...known.values()]),
  };
}

export type ConversationRegistry = ReturnType<typeof createConversationRegistry>;

async function finish({ turnLog, lastWords }: Conversation): Promise<void> {
  await Promise.all([turnLog.finish(), lastWords().then(turnLog.finish)]);
}

/** Ends conversations and waits for their last words and writes. */
async function endAll(known: readonly Readonly<{ conversation: Conversation }>[]): Promise<void> {
  for (const { conversation } of known) conversation.end(ENDINGS.goingAway);
  const timer = Promise.withResolvers<void>();
  const cancel = setTimeout(timer.resolve, WRITING_MAX_MS);
  await Promise.race([Promise.allSettled(known.map(({ conversation }) => finish(conversation))), timer.promise]);
  clearTimeout(cancel);
}
