/** Reads `.eml` files without a sidecar: earlier versions wrote those, and an operator may put some into the outbox. */

/** Sender and recipient of a message, one of each and on one line. */
export function parseEnvelope(message: Buffer): { from: string; to: string } | undefined {
  const head = message.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const from = parseAddress(head, 'From');
  const to = parseAddress(head, 'To');
  return from === undefined || to === undefined ? undefined : { from, to };
}

function parseAddress(head: string, header: string): string | undefined {
  const line = new RegExp(`^${header}: (.+)$`, 'm').exec(head)?.[1] ?? '';
  return /<([^<>\s]+@[^<>\s]+)>\s*$/.exec(line)?.[1] ?? /^\s*([^<>\s]+@[^<>\s]+)\s*$/.exec(line)?.[1];
}

/** The message with its encoded words and base64 parts decoded, to search in. */
export function decodeMessage(message: string): string {
  const decode = (_: string, base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  return message
    .replaceAll(/=\?UTF-8\?B\?([\w+/=]*)\?=/gi, decode)
    .replaceAll(/(?<=Content-Transfer-Encoding: base64\r?\n(?:[\w-]+: .*\r?\n)*\r?\n)((?:[\w+/=]+\r?\n?)+)/gi, decode);
}
