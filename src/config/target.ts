import { isObject } from '../transports/fields.js';
import { kindOf } from '../transports/kinds.js';
import { maskArguments, maskUrl } from './mask.js';
import type { ConfiguredServer } from './server.js';

/** The word for a server's transport; undefined when its entry does not even tell that. */
export function transportOf({ config, written }: ConfiguredServer): string | undefined {
  if (config) return config.type;
  if (typeof written?.['type'] === 'string') return written['type'];
  return written?.['url'] === undefined ? (written?.['command'] === undefined ? undefined : 'stdio') : 'http';
}

/** The command line, or the URL and its transport, as written and masked: what a list shows behind the name. */
export function targetText({ written, config }: ConfiguredServer): string {
  const { command, args, url, proxyUrl, name } = isObject(written) ? written : {};
  if (typeof url === 'string') {
    const proxy = typeof proxyUrl === 'string' ? ` through ${maskUrl(proxyUrl)}` : '';
    return `${maskUrl(url)}${proxy}${config ? ` (${kindOf(config).label})` : ''}`;
  }
  if (typeof command === 'string') {
    return [command, ...maskArguments(Array.isArray(args) ? args : [])]
      .map((part) => quoteWord(String(part)))
      .join(' ');
  }
  return typeof name === 'string' ? `${name} (sdk)` : '?';
}

function quoteWord(part: string): string {
  return part === '' || /[\s"'\\`]/u.test(part) ? JSON.stringify(part) : part;
}
