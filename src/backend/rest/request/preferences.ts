import { badPreferences } from '../errors.ts';

export type Preferences = Readonly<{
  resolution?: 'merge-duplicates' | 'ignore-duplicates';
  missing?: 'default' | 'null';
  return?: 'representation' | 'minimal' | 'headers-only';
  count?: 'exact' | 'planned' | 'estimated';
  tx?: 'commit' | 'rollback';
  handling?: 'strict' | 'lenient';
  timezone?: string;
  maxAffected?: number;
}>;

type Known = Readonly<Record<string, readonly string[]>>;

const KNOWN: Known = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  missing: ['default', 'null'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  handling: ['strict', 'lenient'],
};

/**
 * Reads `Prefer` (RFC 7240): the first value of each preference counts. Throws PGRST122 where `handling=strict` comes
 * with something unknown. `tx=` is unknown unless `allowTx`.
 */
export function parsePreferences(header: string, allowTx: boolean): Preferences {
  const known: Known = allowTx ? { ...KNOWN, tx: ['commit', 'rollback'] } : KNOWN;
  const given = header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const found: Record<string, string> = {};
  const unknown: string[] = [];
  // Only the first is looked up, which takes a tenth of a millisecond.
  let timezone: { value: string; known: boolean } | undefined;
  for (const preference of given) {
    const [name = '', value = ''] = preference.split('=', 2);
    if (Object.hasOwn(known, name) && known[name]?.includes(value) === true) found[name] ??= value;
    else if (name === 'timezone' && (timezone ??= { value, known: isTimezone(value) }).known) continue;
    else if (name === 'max-affected') found['maxAffected'] ??= value;
    else unknown.push(preference);
  }
  if (found['handling'] === 'strict' && unknown.length > 0) throw badPreferences(unknown);
  const { maxAffected = '', ...rest } = found;
  if (timezone?.known === true) rest['timezone'] = timezone.value;
  // As upstream, a value that is no number is known and sets no limit.
  return { ...rest, ...(/^-?\d{1,15}$/.test(maxAffected) ? { maxAffected: Number(maxAffected) } : {}) };
}

function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,60}$/.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // The zone may have another name, but upstream takes no other case.
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** The value of `Preference-Applied`, in upstream's order; `honoured` names the preferences that this route applies. */
export function formatApplied(
  preferences: Preferences,
  honoured: readonly ('resolution' | 'missing' | 'return' | 'maxAffected')[],
): string | undefined {
  const show = (name: keyof Preferences): string[] =>
    preferences[name] === undefined ? [] : [`${name === 'maxAffected' ? 'max-affected' : name}=${preferences[name]}`];
  const only = (name: (typeof honoured)[number]): string[] => (honoured.includes(name) ? show(name) : []);
  // prettier-ignore
  const applied = [
    ...only('resolution'), ...only('missing'), ...only('return'), ...show('count'), ...show('tx'),
    ...show('handling'), ...show('timezone'), ...(preferences.handling === 'strict' ? only('maxAffected') : []),
  ];
  return applied.length === 0 ? undefined : applied.join(', ');
}
