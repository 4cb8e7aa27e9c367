import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { canonicalType, transportKindOf } from '../../transports/kinds.js';
import { maskArguments, maskInline } from '../../model/redaction/mask-arguments.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import type { ConfiguredServer } from './server.js';

/** The name of a server's transport; undefined when its entry does not tell. */
export function transportOf({ config, written }: ConfiguredServer): string | undefined {
  if (config) return config.type;
  if (typeof written?.['type'] === 'string') return written['type'];
  return written?.['url'] === undefined ? (written?.['command'] === undefined ? undefined : 'stdio') : 'http';
}

/** The command line, or the URL and its transport, as written and masked, for lists. */
export function targetText({ written, config }: ConfiguredServer): string {
  return describeEntry(written, config && transportKindOf(config).label);
}

export function describeEntry(written: unknown, label?: string): string {
  const { type = 'sdk', command, args, url, proxyUrl, name } = isObject(written) ? written : {};
  if (typeof url === 'string') {
    const proxy = typeof proxyUrl === 'string' ? ` through ${maskUrl(proxyUrl)}` : '';
    return `${maskUrl(url)}${proxy}${label === undefined ? '' : ` (${label})`}`;
  }
  if (typeof command === 'string') {
    return [maskInline(command), ...maskArguments(Array.isArray(args) ? args : [], command)]
      .map((part) => quoteWord(String(part)))
      .join(' ');
  }
  return typeof name === 'string' ? `${name} (${label ?? String(type)})` : '?';
}

function quoteWord(part: string): string {
  return part === '' || /[\s"'\\`]/u.test(part) ? JSON.stringify(part) : part;
}

/** The entry in stored form: a URL without a type means http, and an alias becomes the common word. */
export function toStored(entry: RawEntry): RawEntry {
  const { type, ...rest } = entry;
  if (type === undefined) {
    // With both a command and a URL the meaning is unclear; validation reports that.
    if (Object.hasOwn(entry, 'url') && Object.hasOwn(entry, 'command')) return entry;
    return { type: Object.hasOwn(entry, 'url') ? 'http' : 'stdio', ...rest };
  }
  const word = canonicalType(type);
  return word === undefined || word === type ? entry : { type: word, ...rest };
}
