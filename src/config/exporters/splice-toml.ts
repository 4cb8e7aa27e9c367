import type { Splice } from './splice.js';

/**
 * Appends tables to a TOML text, or puts them in the place of tables of the same name. Undefined: the server is not
 * written as a table, so it cannot be replaced. The caller checks the result.
 */
export async function openTomlSplice(): Promise<(text: string, splice: Splice) => string | undefined> {
  const { parse, stringify } = await import('smol-toml');
  const pathOf = (header: string): readonly string[] => {
    try {
      return keysOf(parse(header));
    } catch {
      return []; // not a header after all; the caller's check decides
    }
  };
  return (text, { path, added, replaced }) => {
    const newline = text.includes('\r\n') ? '\r\n' : '\n';
    const print = (name: string, entry: object): string =>
      stringify(nest([...path, name], entry)).replaceAll('\n', newline);
    let edited = text;
    for (const [name, entry] of replaced) {
      const own = tablesIn(edited).filter(({ header }) => isBelow(pathOf(header), [...path, name]));
      const [first] = own;
      if (!first) return undefined;
      for (const { start, end } of own.toReversed()) {
        edited = edited.slice(0, start) + (start === first.start ? print(name, entry) : '') + edited.slice(end);
      }
    }
    const gap = edited === '' || edited.endsWith('\n') ? '' : newline;
    const blank = edited.trim() === '' ? '' : newline;
    return added.reduce(
      (whole, [name, entry], at) => whole + (at === 0 ? blank : newline) + print(name, entry),
      edited + (added.length > 0 ? gap : ''),
    );
  };
}

interface Table {
  readonly header: string;
  readonly start: number;
  /** Behind its last value: a comment after that may belong to the next table. */
  end: number;
}

/** The tables of a text with a header, in order. */
function tablesIn(text: string): Table[] {
  const tables: Table[] = [];
  for (let at = 0; at < text.length;) {
    const end = statementEnd(text, at);
    const statement = text.slice(at, end);
    const first = statement.trimStart()[0];
    if (first === '[') tables.push({ header: statement.trim(), start: at, end });
    else if (first !== undefined && first !== '#') {
      const table = tables.at(-1);
      if (table) table.end = end;
    }
    at = end;
  }
  return tables;
}

/** The offset behind a line; a value may continue over many lines. */
function statementEnd(text: string, start: number): number {
  const token =
    /"""(?:\\[\s\S]|(?!""")[\s\S])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n/gu;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [word] = found;
    if (word === '[' || word === '{') depth++;
    else if (word === ']' || word === '}') depth--;
    else if (word === '\n' && depth <= 0) return token.lastIndex;
  }
  return text.length;
}

/** The keys of a header: `[a."b c"]` gives a, `b c`. */
function keysOf(value: unknown): string[] {
  const inner: unknown = Array.isArray(value) ? value[0] : value;
  const [pair] = inner !== null && typeof inner === 'object' ? Object.entries(inner) : [];
  return pair ? [pair[0], ...keysOf(pair[1])] : [];
}

function isBelow(path: readonly string[], table: readonly string[]): boolean {
  return table.every((key, at) => path[at] === key);
}

function nest(path: readonly string[], entry: object): object {
  return path.reduceRight<object>((inner, key) => Object.fromEntries([[key, inner]]), entry);
}
