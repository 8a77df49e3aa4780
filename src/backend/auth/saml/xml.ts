import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js';

/**
 * XML as objects: prefixes gone, attributes under `$`, text under `_`, children as arrays. Documents that declare types
 * or entities are refused: no metadata or answer needs them. Rejects where it is no XML.
 */
export async function readXml(text: string): Promise<unknown> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new Error('document types are not accepted');
  return parseXml2JsFromString(text);
}

type Search = Readonly<{
  /** What is inside elements of this name is left out. */
  outside?: string;
}>;

/** Every element of this name, wherever it is. */
export function findElements(root: unknown, elementName: string, { outside }: Search = {}): unknown[] {
  const found: unknown[] = [];
  const open: { value: unknown; name: string }[] = [{ value: root, name: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, name });
      continue;
    }
    if (name === outside && name !== '') continue;
    if (name === elementName) found.push(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (key !== '$') open.push({ value: item, name: key });
    }
  }
  return found;
}

/** Every attribute of this name of every element of this name, wherever it is. */
export function findAttributes(root: unknown, elementName: string, attribute: string, search: Search = {}): string[] {
  return findElements(root, elementName, search).flatMap((element) => {
    const attributes: unknown = Reflect.get(Object(element), '$');
    return attributes === undefined ? [] : [String(Reflect.get(Object(attributes), attribute))];
  });
}
