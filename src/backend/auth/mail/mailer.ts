/** What a mail is about; also the `type` of the link in it where there is one. */
export type MailKind = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change' | 'reauthentication';

/** One mail to one mailbox. The words are the product's; without `link` the code belongs into an open form. */
export type AccountMail = Readonly<{ kind: MailKind; to: string; link?: string; code: string; validSeconds: number }>;

/** Rejects where the mail was not taken over. */
export type Mailer = Readonly<{ send: (mail: AccountMail) => Promise<void> }>;
