import { isObject } from '../base/json.js';

/** The fields of an untrusted YAML text, or why it has none. */
export type YamlFields = { readonly value: { readonly [field: string]: unknown } } | { readonly reason: string };

/** Parses named fields, as in JSON: no tags, few aliases, not deep. Never rejects; no reason repeats the text. */
export async function parseYamlFields(text: string): Promise<YamlFields> {
  if (text.length > TEXT_LIMIT) return { reason: `it has more than ${TEXT_LIMIT} characters` };
  const { parseDocument, visit } = await import('yaml');
  try {
    const document = parseDocument(text, { prettyErrors: false, resolveKnownTags: false, merge: false });
    const [error] = document.errors;
    if (error) return { reason: `it is not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}` };
    let aliases = 0;
    visit(document, { Alias: () => (++aliases > ALIAS_LIMIT ? visit.BREAK : undefined) });
    if (aliases > ALIAS_LIMIT) return { reason: `it has more than ${ALIAS_LIMIT} aliases` };
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_LIMIT }) ?? {};
    if (!isObject(value)) return { reason: 'it has no fields with names' };
    return isPlain(value) ? { value } : { reason: 'it has more, or deeper, than it may' };
  } catch {
    return { reason: 'it is not YAML, or nested too deep' }; // the parser's own message would repeat the text
  }
}

const TEXT_LIMIT = 8_000; // characters; texts written by hand have 1 KB, and 64 KB could take the parser two seconds
const ALIAS_LIMIT = 10;
const DEPTH_LIMIT = 32;
const NODE_LIMIT = 10_000;

function isPlain(root: unknown): boolean {
  let nodes = 0;
  const fits = (value: unknown, depth: number): boolean => {
    if (depth > DEPTH_LIMIT || ++nodes > NODE_LIMIT) return false;
    if (typeof value === 'bigint' || value instanceof Date || value instanceof Uint8Array) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((one) => fits(one, depth + 1));
  };
  return fits(root, 0);
}
