/** One-time codes of an authenticator app (RFC 6238), as upstream makes them: SHA1, 6 digits, a step of 30 s. */
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

const PERIOD_S = 30;
/** Accepted clock drift in steps. */
const WINDOW = 1;
const SECRET_BYTES = 20;

export type NewTotp = Readonly<{ secret: string; uri: string; qr_code: string }>;

/** Throws where issuer and account together are too long for a QR code. */
export function createTotp(issuer: string, account: string): NewTotp {
  const secret = new Secret({ size: SECRET_BYTES });
  const uri = new TOTP({ issuer, label: account, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_S }).toString();
  return { secret: secret.base32, uri, qr_code: renderSVG(uri, { ecc: 'L', border: 4 }) };
}

/**
 * Returns the time step of a valid code; undefined where the code is wrong or not newer than `lastStep`, since RFC 6238
 * §5.2 accepts no code twice.
 */
export function verifyTotp(
  secret: string,
  code: string,
  facts: Readonly<{ now: number; lastStep: number | undefined }>,
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: PERIOD_S });
  const delta = totp.validate({ token: code, timestamp: facts.now, window: WINDOW });
  if (delta === null) return undefined;
  const step = Math.floor(facts.now / 1_000 / PERIOD_S) + delta;
  return facts.lastStep !== undefined && step <= facts.lastStep ? undefined : step;
}
