import { accountTexts } from './texts.ts';

/** In matching order: Edge and Opera also contain 'Chrome', and all contain 'Safari'. */
const BROWSERS = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /Safari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux/],
] as const;

type Names = readonly (readonly [string, RegExp])[];

/** Describes a device by its user agent. */
export function describeDevice(userAgent: string | null): string {
  const first = (names: Names): string | undefined => names.find(([, mark]) => mark.test(userAgent ?? ''))?.[0];
  const browser = first(BROWSERS);
  const system = first(SYSTEMS);
  if (browser !== undefined && system !== undefined) return accountTexts.sessions.browserOn(browser, system);
  return browser ?? system ?? accountTexts.sessions.unknownDevice;
}
