/**
 * Parses XML to objects: without prefixes, attributes under `$`, text under `_`, children as arrays. Rejects invalid
 * XML and documents that declare types or entities, which no metadata or response needs.
 */
export async function readXml(text: string): Promise<unknown> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new Error('document types are not accepted');
  const { parseXml2JsFromString } = await import('@node-saml/node-saml/lib/xml.js');
  return parseXml2JsFromString(text);
}

/** Finds every element of this name at any depth, except in elements named `outside`. */
export function findElements(root: unknown, elementName: string, outside?: string): unknown[] {
  const found: unknown[] = [];
  const open: { value: unknown; name: string }[] = [{ value: root, name: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, name });
      continue;
    }
    if (name === outside) continue;
    if (name === elementName) found.push(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (key !== '$') open.push({ value: item, name: key });
    }
  }
  return found;
}

/** Finds every such attribute of every such element at any depth. */
export function findAttributes(root: unknown, elementName: string, attribute: string, outside?: string): string[] {
  return findElements(root, elementName, outside).flatMap((element) => {
    const attributes: unknown = Reflect.get(Object(element), '$');
    return attributes === undefined ? [] : [String(Reflect.get(Object(attributes), attribute))];
  });
}
