/** One mail to one mailbox; `html` says the same as `text`. */
export type Letter = Readonly<{
  /** Makes file name and Message-ID, so it is the same at every attempt. */
  id: string;
  at: Date;
  to: string;
  replyTo?: string;
  subject: string;
  text: string;
  html: string;
}>;

/**
 * What became of it. `refused`: for good; `answer` is the mail server's code, missing where the address is none. `unsure`:
 * handed over, but nobody said that it was taken. `later`: not sent, and may be tried again; `away`: so may all others.
 */
export type Delivery =
  | Readonly<{ result: 'sent' | 'unsure' | 'away' }>
  | Readonly<{ result: 'refused'; answer?: number }>
  | Readonly<{ result: 'later'; answer?: number }>;

/** The way out for letters whose sender keeps track of them: to the mail server, or into the outbox folder where there is none. */
export type Post = Readonly<{
  /** `begin` is called before the first byte goes out; where it rejects, none does. Rejects never. */
  deliver: (letter: Letter, begin: () => Promise<void>, signal: AbortSignal) => Promise<Delivery>;
}>;
