import { expect, test } from 'vitest';
import { isPublicAddress } from './addresses.ts';

test.each([
  '9.9.9.9',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.0.1',
  '2620:fe::fe',
  '2a00:1450:4001::1',
])('threat 19 %s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  '127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254',
  '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '203.0.113.9',
  '::1', '::', '::ffff:10.0.0.1', '::ffff:9.9.9.9', '64:ff9b::a00:1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1',
  '2001::1', '2001:db8::1', '2002:a00:1::', 'localhost', '', '2130706433', '0x7f.1',
])('threat 19 %s is not', (address) => expect(isPublicAddress(address)).toBe(false)); // prettier-ignore
