/** One code to one phone (digits of E.164). */
export type TextMessage = Readonly<{
  phone: string;
  code: string;
  userId: string;
  /** Upstream's word for a second factor; absent where the phone is the login itself. */
  purpose?: 'mfa';
}>;

/** The way out for text messages. */
export type Sms = Readonly<{
  /** Whether a provider is configured; without one everything about phones is off. */
  enabled: boolean;
  /** Throws AuthError where the message was not taken over, or too many were sent. */
  send: (message: TextMessage) => Promise<void>;
}>;
