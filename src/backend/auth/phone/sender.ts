/** One short message with a code to one phone. */
export type TextMessage = Readonly<{
  /** Digits, E.164 without the plus. */
  phone: string;
  code: string;
  /** The whole text, the code included. */
  text: string;
  channel: string;
  /** User as every call answers it. */
  user: Readonly<Record<string, unknown>>;
}>;

/** The way out for messages. Rejects where the message was not taken over. */
export type TextSender = Readonly<{ send: (message: TextMessage) => Promise<void> }>;

/** Where nothing is configured, nothing is sent. */
export const NO_SENDER: TextSender = {
  send: async () => {
    throw new Error('no provider for text messages is configured');
  },
};
