/**
 * Whether a value has, wherever the example has one, a value of the same kind. For the little that is read before
 * anything else is loaded: zod would be 15 kB on the way to the login.
 */
export function isLike<Example extends object>(value: unknown, example: Example): value is Example {
  if (typeof value !== 'object' || value === null) return false;
  const given = new Map(Object.entries(value));
  return Object.entries(example).every(([name, part]: [string, unknown]) => {
    const there: unknown = given.get(name);
    return typeof part === 'object' && part !== null ? isLike(there, part) : typeof there === typeof part;
  });
}
