/** One message to one mailbox; `html` says the same as `text`. `replyTo`: where answers go instead of to the sender. */
export type Mail = Readonly<{ to: string; replyTo?: string | undefined; subject: string; text: string; html: string }>;

/** The way out for mails. Rejects where the message was not taken over. */
export type Mailer = Readonly<{ send: (mail: Mail) => Promise<void> }>;

/**
 * Where mails go. An outbox is a folder of `.eml` files that any mail transfer agent can pick up; a file is there whole
 * or not at all.
 */
export type MailRoute = Readonly<{
  kind: 'outbox';
  folder: string;
  /** `name@host` or `Name <name@host>`; otherwise no-reply at the host of this service. */
  from?: string | undefined;
  /** Told after each new file. */
  written?: () => void;
}>;
