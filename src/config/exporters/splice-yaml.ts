import type { Pair, YAMLMap } from 'yaml';
import { unreachable } from '../../base/never.js';
import type { Splice } from './splice.js';

/**
 * Adds entries to a block of a YAML text, or puts them in the place of entries of the same name. Undefined: the file is
 * written in a way that this cannot extend. The caller checks the result.
 */
export async function openYamlSplice(): Promise<(text: string, splice: Splice) => string | undefined> {
  const { isMap, isScalar, parseDocument, stringify } = await import('yaml');
  const options = { lineWidth: 0, blockQuote: false, aliasDuplicateObjects: false } as const;

  const print = (name: string, entry: object, indent: string): string =>
    stringify(Object.fromEntries([[name, entry]]), options)
      .trimEnd()
      .replaceAll('\n', `\n${indent}`);

  const pairOf = (map: YAMLMap, name: string): Pair | undefined =>
    map.items.find(({ key }) => isScalar(key) && key.value === name);

  const blockOf = (text: string, key: string): Block | undefined => {
    const { contents, errors } = parseDocument(text, { resolveKnownTags: false, merge: false });
    if (errors.length > 0 || (contents !== null && !(isMap(contents) && contents.flow !== true))) {
      // A file of comments alone has no content, or an empty one.
      if (!(isScalar(contents) && contents.value === null)) return undefined;
    }
    const pair = isMap(contents) ? pairOf(contents, key) : undefined;
    if (!pair) return { kind: 'none' };
    const at = isScalar(pair.key) ? pair.key.range?.[1] : undefined;
    if (at === undefined) return undefined;
    const { value } = pair;
    if (isMap(value) && value.flow !== true && value.items.length > 0) return { kind: 'map', map: value };
    const isEmpty =
      value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.items.length === 0);
    if (!isEmpty) return undefined;
    const written = isMap(value) ? value.range : undefined;
    return { kind: 'empty', key: at, ...(written && { value: [written[0], written[1]] }) };
  };

  const replace = (text: string, key: string, [name, entry]: Splice['added'][number]): string | undefined => {
    const block = blockOf(text, key);
    const pair = block?.kind === 'map' ? pairOf(block.map, name) : undefined;
    const start = pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
    const end = (pair?.value as { readonly range?: readonly number[] } | null | undefined)?.range?.[1];
    if (start === undefined || end === undefined) return undefined;
    const kept = start + text.slice(start, end).trimEnd().length;
    return text.slice(0, start) + print(name, entry, indentAt(text, start)) + text.slice(kept);
  };

  const append = (text: string, key: string, added: Splice['added']): string | undefined => {
    const block = blockOf(text, key);
    const printed = (indent: string): string =>
      added.map(([name, entry]) => `\n${indent}${print(name, entry, indent)}`).join('');
    if (!block) return undefined;
    switch (block.kind) {
      case 'none': {
        const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
        return `${before}${stringify(key, options).trimEnd()}:${printed('  ')}\n`;
      }
      case 'empty': {
        const [from, to] = block.value ?? [block.key, block.key];
        const without = block.value ? text.slice(0, from).trimEnd() + text.slice(to) : text;
        const end = lineEnd(without, block.key);
        return without.slice(0, end) + printed('  ') + without.slice(end);
      }
      case 'map': {
        const [first] = block.map.items;
        const start = first && isScalar(first.key) ? first.key.range?.[0] : undefined;
        const range = block.map.range;
        if (start === undefined || !range) return undefined;
        const end = lineEnd(text, start + text.slice(start, range[1]).trimEnd().length);
        return text.slice(0, end) + printed(indentAt(text, start)) + text.slice(end);
      }
      default:
        return unreachable(block);
    }
  };

  return (text, { path: [key = ''], added, replaced }) => {
    // The parser counts in the text with its own line ends, so Windows line ends are put back at the end.
    const isWindows = text.includes('\r\n');
    const unix = isWindows ? text.replaceAll('\r\n', '\n') : text;
    if (isWindows && unix.includes('\r')) return undefined;
    if (isWindows && /(?<!\r)\n/u.test(text)) return undefined;
    let edited: string | undefined = unix;
    for (const server of replaced) edited = edited === undefined ? undefined : replace(edited, key, server);
    if (edited !== undefined && added.length > 0) edited = append(edited, key, added);
    return isWindows ? edited?.replaceAll('\n', '\r\n') : edited;
  };
}

type Block =
  | { readonly kind: 'none' }
  | { readonly kind: 'empty'; readonly key: number; readonly value?: readonly [number, number] }
  | { readonly kind: 'map'; readonly map: YAMLMap };

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

/** The blanks before an entry; a tab or another token there makes the caller's check fail. */
function indentAt(text: string, offset: number): string {
  return ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));
}
