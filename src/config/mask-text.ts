import { findNodeAtLocation, getNodePath, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { isObject } from '../transports/fields.js';
import { maskEntry } from './mask.js';

/** A configuration file's text as it may be shown: the same lines, the secrets of its entries masked. */
export function maskText(text: string): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const servers = tree && findNodeAtLocation(tree, ['mcpServers']);
  if (!servers) return text;
  const replacements: { node: Node; by: string }[] = [];
  for (const property of servers.children ?? []) {
    const entry = property.children?.[1];
    const value: unknown = entry && getNodeValue(entry);
    if (entry && isObject(value))
      collect(entry, { masked: maskEntry(value), depth: getNodePath(entry).length, into: replacements });
  }
  let result = text;
  for (const { node, by } of replacements.toReversed()) {
    result = result.slice(0, node.offset) + by + result.slice(node.offset + node.length);
  }
  return result;
}

interface Collecting {
  readonly masked: unknown;
  readonly depth: number;
  readonly into: { node: Node; by: string }[];
}

function collect(node: Node, { masked, depth, into }: Collecting): void {
  if (node.type === 'string') {
    const value = getNodePath(node)
      .slice(depth)
      .reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], masked);
    if (value !== node.value) into.push({ node, by: JSON.stringify(value) });
    return;
  }
  const children = node.type === 'property' ? node.children?.slice(1) : node.children;
  for (const child of children ?? []) collect(child, { masked, depth, into });
}
