import { isIP, SocketAddress } from 'node:net';

/**
 * The caller's address for the database, or undefined where a proxy header held no address, or the connection was
 * closed so early that it has none any more.
 */
export function getClientAddress(request: Readonly<{ ip: string | undefined }>): string | undefined {
  const address = request.ip?.replace(/%.*$/, '') ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/** Addresses that count as one caller: an IPv4 address, or the /64 that one IPv6 subscriber owns. */
export function toNetwork(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (isIP(address) !== 6) return address;
  // Proxies write one address in several ways.
  const plain = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** A host of this machine, as its own name or address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
