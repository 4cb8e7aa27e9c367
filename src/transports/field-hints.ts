import { nearest } from '../base/nearest.js';
import type { Scheme, UrlRefusal } from '../model/urls/url-gate.js';
import type { RawEntry } from './kind.js';

export const CALL_TIMEOUT_MIN = 1000; // ms; a value below one second was meant in seconds

/** Names that other hosts use for our fields. Typos are found by similarity instead. */
const foreignFields: Readonly<Record<string, string>> = {
  serverUrl: 'url',
  httpUrl: 'url',
  uri: 'url',
  cmd: 'command',
  environment: 'env',
  envs: 'env',
  transport: 'type',
  http_headers: 'headers',
  workingDirectory: 'cwd',
};

/** The field of ours that another host's name stands for; undefined when there is none. */
export function meantField(field: string): string | undefined {
  return Object.hasOwn(foreignFields, field) ? foreignFields[field] : undefined;
}

/** A hint for the most frequent mistakes. Repeats no value that could be a secret. */
export function valueHint(expected: string, value: unknown, [field]: readonly (string | number)[]): string | undefined {
  if (expected === 'a string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return `Put it into quotes: "${value}"`;
  }
  if (expected === 'a string' && field === 'command' && Array.isArray(value)) {
    return 'Write its first word as "command": "...", and the others as "args": ["...", "..."]';
  }
  if (expected === 'an array of strings' && typeof value === 'string') return 'Write ["..."], each word by itself';
  if (expected === 'an object of strings') {
    return field === 'headers'
      ? 'Write "headers": { "Name": "value" }, one pair for each'
      : `Write "${field}": { "NAME": "value" }, one pair for each`;
  }
  if (expected === 'true or false') return 'Write true or false, without quotes';
  const isTime = field === 'timeout' || field === 'startTimeout';
  if (!isTime || typeof value !== 'number') return undefined;
  return value > 0 && value < CALL_TIMEOUT_MIN
    ? `The unit is milliseconds: write ${Math.round(value * 1000)}`
    : undefined;
}

/** A hint for a required field that is missing; names a similar field of the entry if there is one. */
export function missingHint(raw: RawEntry, name: string): string {
  if (name === 'command' && Object.hasOwn(raw, 'url'))
    return 'The entry has a "url": write "type": "http", or leave "type" out';
  if (name === 'url' && Object.hasOwn(raw, 'command')) {
    return 'The entry has a "command": write "type": "stdio", or leave "type" out';
  }
  const meant = Object.keys(raw).find((field) => meantField(field) === name) ?? nearest(name, Object.keys(raw))[0];
  return meant === undefined ? (ADD[name] ?? `Add "${name}"`) : `Rename "${meant}" to "${name}"`;
}

const ADD: Readonly<Record<string, string>> = {
  command: 'Add "command": "..." for a program of this machine, or "url": "https://..." for a server elsewhere',
  url: 'Add "url": "https://..."',
};

/** A hint for a URL that the URL gate refused. */
export function urlHint(url: string, code: UrlRefusal, schemes: readonly Scheme[]): string {
  return urlHints[code] ?? schemeHint(url, schemes);
}

function schemeHint(url: string, schemes: readonly Scheme[]): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/iu.exec(url) ?? [];
  // `localhost:3000/mcp` has no scheme, although a word stands before its colon.
  if (scheme === undefined || /^[\w.-]+:\d+(?:\/|$)/u.test(url))
    return `Put ${schemes[0]}:// in front of it, or ${schemes[1]}://`;
  if (/^wss?$/iu.test(scheme)) return 'Write "type": "ws"';
  if (/^https?$/iu.test(scheme) && !schemes.includes('http')) return 'Write "type": "http"';
  return `Write ${schemes.join(':// or ')}:// and a host`;
}

const urlHints: Partial<Record<UrlRefusal, string>> = {
  userinfo: 'Put the credentials into "headers" instead',
  port: 'Choose another port',
  'too-long': 'Shorten the URL',
};
