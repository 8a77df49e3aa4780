import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/**
 * The public half of an RSA key as SAML metadata want it: in a certificate (RFC 5280, version 1) that the key signs
 * itself. Nobody trusts it for its issuer or dates, so it follows from the key alone and is the same at every start.
 */
export function selfSignedCertificate(privateKey: string, commonName: string): string {
  const key = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' });
  const name = sequence(set(sequence(COMMON_NAME, element(0x0c, Buffer.from(commonName)))));
  const validity = sequence(time('20200101000000Z'), time('21200101000000Z'));
  const serial = element(
    0x02,
    Buffer.concat([Buffer.from([0x01]), createHash('sha256').update(key).digest().subarray(0, 15)]),
  );
  const content = sequence(serial, SHA256_WITH_RSA, name, validity, name, key);
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]));
  const body =
    sequence(content, SHA256_WITH_RSA, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...body, '-----END CERTIFICATE-----', ''].join('\n');
}

/** One element of DER: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return element(0x31, part);
}

/** GeneralizedTime; UTCTime ends in 2049. */
function time(text: string): Buffer {
  return element(0x18, Buffer.from(text));
}

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
