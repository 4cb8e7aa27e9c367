import { isObject } from '../../base/json.js';
import { MASK } from '../../base/secret.js';
import { maskTokens } from '../../model/redaction/mask-value.js';
import type { RawEntry } from '../../transports/kind.js';
import { maskEntry, maskNamed } from '../edit/mask.js';
import { maskText } from '../edit/mask-text.js';
import type { ForeignFormat } from '../importers/importer.js';

export interface MaskedFile {
  readonly format: ForeignFormat;
  /** The keys that lead to the servers. */
  readonly path: readonly string[];
  readonly parse: (text: string) => RawEntry;
}

/** The text of another host's file with the same lines, and its secrets masked. */
export function maskForeignText(text: string, { format, path, parse }: MaskedFile): string {
  if (format === 'json') return maskText(text, [path, ['mcpServers'], ['projects', '*', 'mcpServers']]);
  const secrets = new Set<string>();
  collect(parse(text), maskFile(parse(text), path), secrets);
  return maskTokens(
    text
      .split('\n')
      .map((line) => maskLine(line, secrets))
      .join('\n'),
  );
}

function maskFile(file: RawEntry, path: readonly string[]): RawEntry {
  return Object.fromEntries(
    Object.entries(file).map(([key, value]) => [key, key === path[0] ? maskServers(value) : maskNamed(value, key)]),
  );
}

function maskServers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, entry]) => [name, isObject(entry) ? maskEntry(entry) : entry]);
  return Object.fromEntries(entries) as RawEntry;
}

/** Every text and number that masking would change. */
function collect(value: unknown, masked: unknown, into: Set<string>): void {
  if (typeof value === 'string' || typeof value === 'number') {
    if (masked !== value && String(value) !== '') into.add(String(value));
  } else if (value !== null && typeof value === 'object') {
    const inner: object = masked !== null && typeof masked === 'object' ? masked : {};
    for (const [key, part] of Object.entries(value)) {
      collect(part, Object.hasOwn(inner, key) ? (inner as Record<string, unknown>)[key] : MASK, into);
    }
  }
}

/** A long secret is masked wherever it stands; a short one, which may be a part of other words, only as a whole value. */
function maskLine(line: string, secrets: ReadonlySet<string>): string {
  let shown = line;
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (secret.length >= SHORT) shown = shown.replaceAll(secret, MASK).replaceAll(escaped, MASK);
    else for (const quote of ['"', "'"]) shown = shown.replaceAll(quote + escaped + quote, quote + MASK + quote);
    if (secret.length < SHORT && /[:=]\s*(\S.*?)\s*$/u.exec(shown)?.[1] === secret)
      shown = shown.slice(0, shown.lastIndexOf(secret)) + MASK;
  }
  return shown;
}

const SHORT = 5;
