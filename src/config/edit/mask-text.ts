import { type Node, parseTree } from 'jsonc-parser';
import { MASK } from '../../base/secret.js';
import { isObject } from '../../base/json.js';
import { toValue } from '../document.js';
import { maskTokens } from '../../model/redaction/mask-value.js';
import { maskEntry, maskNamed } from './mask.js';

/**
 * The text of a configuration file with the same lines, and the secrets of its entries and settings masked. `paths`: the
 * keys that lead to the servers.
 */
export function maskText(text: string, paths: ServerPaths = OURS): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const replacements: Replacement[] = [];
  collectBelow(tree, { at: [], paths, into: replacements });
  let result = '';
  let rest = 0;
  for (const { node, by } of replacements) {
    result += text.slice(rest, node.offset) + by;
    rest = node.offset + node.length;
  }
  return maskTokens(result + text.slice(rest)); // a comment may hold a disabled entry
}

interface Replacement {
  readonly node: Node;
  readonly by: string;
}

type ServerPaths = readonly (readonly string[])[];
const OURS: ServerPaths = [['mcpServers']];

interface Collecting {
  readonly at: readonly string[];
  readonly paths: ServerPaths;
  readonly into: Replacement[];
}

function collectBelow(node: Node | undefined, { at, paths, into }: Collecting): void {
  for (const { children } of node?.type === 'object' ? (node.children ?? []) : []) {
    const [key, value] = children ?? [];
    if (!value) continue;
    const path = [...at, String(key?.value)];
    const longer = paths.filter((one) => path.every((step, index) => one[index] === step || one[index] === '*'));
    if (longer.some(({ length }) => length === path.length))
      for (const server of value.children ?? []) collectEntry(server.children?.[1], into);
    else if (longer.length > 0) collectBelow(value, { at: path, paths, into });
    else collect(value, maskNamed(toValue(value), path.at(-1)!), into);
  }
}

function collectEntry(entry: Node | undefined, into: Replacement[]): void {
  const value = entry && toValue(entry);
  if (entry && isObject(value)) collect(entry, maskEntry(value), into);
}

/** Compares each leaf with the masked value, so that the text around it stays. */
function collect(node: Node, masked: unknown, into: Replacement[]): void {
  if (node.type === 'string' || node.type === 'number') {
    // Of a duplicate key only the last one was masked, but the others may hold a secret, too.
    const shown = typeof masked === 'string' && masked.includes(MASK) ? masked : MASK;
    if (masked !== node.value) into.push({ node, by: JSON.stringify(shown) });
    return;
  }
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') collect(child, fieldOf(masked, index), into);
    else {
      const [key, value] = child.children ?? [];
      if (value) collect(value, fieldOf(masked, String(key?.value)), into);
    }
  }
}

function fieldOf(value: unknown, key: string | number): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;
}
