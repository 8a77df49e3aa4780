import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js';

/**
 * XML as objects: prefixes gone, attributes under `$`, text under `_`, children as arrays. Documents that declare types
 * or entities are refused: no metadata or answer needs them. Rejects where it is no XML.
 */
export async function readXml(text: string): Promise<unknown> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new Error('document types are not accepted');
  return parseXml2JsFromString(text);
}

/** Every attribute of this name of every element of this name, wherever it is. */
export function attributesOf(root: unknown, elementName: string, attribute: string): string[] {
  const found: string[] = [];
  const open: { value: unknown; name: string }[] = [{ value: root, name: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, name });
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      if (key === '$' && name === elementName) found.push(String(Reflect.get(Object(item), attribute)));
      else open.push({ value: item, name: key });
    }
  }
  return found;
}
