/** Browsers and Node have it. */
declare const URL: new (address: string) => Readonly<{ host: string }>;

/** As the mail server takes one, after `readAddress`: its host ends in a top-level domain. */
export const MAILBOX_PATTERN = /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[a-z\d][a-z\d-]*\.)+(?:[a-z]{2,}|xn--[a-z\d-]+)$/i;

/**
 * The mail address that was meant: without what a copy brings along (invisible characters, `mailto:`, the name before
 * it, a full stop), and with the host in ASCII, as Chromium's fields give it and the auth service takes it.
 */
export function readAddress(typed: string): string {
  const text = typed.replaceAll(/\p{Cf}/gu, '').replace(/[\s.,;]+$/, '');
  const [, plain = text] = /^(?:.*<|\s*)(?:mailto:)?([^<>]*)>?$/i.exec(text) ?? [];
  const [, name, host = ''] = /^([^@]*@)([\p{L}\p{M}\d.-]*[^\0-\x7f][\p{L}\p{M}\d.-]*)$/u.exec(plain) ?? [];
  try {
    return name === undefined ? plain : name + new URL(`http://${host}`).host;
  } catch {
    return plain;
  }
}
