import { expect, test } from 'vitest';
import { getClientAddress, toNetwork } from './network.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  // As some proxies write it.
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
])('Counts %s as %s (contract §1.6)', (address, network) => expect(toNetwork(address)).toBe(network));

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', undefined],
  // Node forgets the address of a connection that its client has reset.
  [undefined, undefined],
])('Reads the address of %s as %s', (ip, address) => expect(getClientAddress({ ip })).toBe(address));
