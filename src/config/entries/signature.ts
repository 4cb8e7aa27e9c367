import { parseUrl } from '../../base/parse-url.js';
import { unreachable } from '../../base/never.js';
import { isObject } from '../../base/json.js';
import { GIVEN_FIELDS, type GivenField, type ServerIdentity } from '../../model/fields/server-identity.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import { canonicalUrl } from '../../model/urls/canonical-url.js';
import type { ServerTarget } from '../../transports/kind.js';

/** Equal signatures mean the same server, whatever its name. */
export function signatureOf(target: ServerTarget): string {
  switch (target.kind) {
    case 'command':
      return `stdio:${JSON.stringify(target.argv)}`;
    case 'url':
      return `url:${serverUrlOf(target.url)}`;
    case 'embedded':
      return `sdk:${target.name}`;
    default:
      return unreachable(target);
  }
}

/** `written`: the entry as its file has it. */
export function identityOf(
  target: ServerTarget,
  written: { readonly [field: string]: unknown } | undefined,
): ServerIdentity {
  const given = Object.fromEntries(GIVEN_FIELDS.map((field) => [field, givenText(field, written?.[field])]));
  return { signature: signatureOf(target), given: given as Record<GivenField, string> };
}

function givenText(field: GivenField, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (!isObject(value)) return canonicalJson(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '';
  if (field !== 'headers') return canonicalJson(value);
  return canonicalJson(Object.fromEntries(entries.map(([name, one]) => [name.toLowerCase(), one])));
}

/** The server's own URL: a proxy has it in its `mcp_url` parameter. Returns a text that is no URL unchanged. */
export function serverUrlOf(text: string): string {
  const { url, wrapped } = unwrap(text);
  if (!url) return text;
  const inner = wrapped[0];
  return inner === undefined ? canonicalUrl(url) : serverUrlOf(inner);
}

/** Every URL that a server is reached through: its own, its proxy's, and those wrapped in them. */
export function addressesOf({ url, proxyUrl }: Extract<ServerTarget, { kind: 'url' }>): readonly string[] {
  return proxyUrl === undefined ? unwrapAll(url) : [...unwrapAll(url), ...unwrapAll(proxyUrl)];
}

function unwrapAll(text: string): readonly string[] {
  return [text, ...unwrap(text).wrapped.flatMap(unwrapAll)];
}

const URL_LIMIT = 8192; // the URL gate refuses longer ones, so they are never reached

/** Terminates: a wrapped URL is always shorter than its wrapper. */
function unwrap(text: string): { readonly url: URL | undefined; readonly wrapped: readonly string[] } {
  const url = parseUrl(text);
  if (!url || text.length > URL_LIMIT) return { url, wrapped: [] };
  const values = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'mcp_url').map(([, value]) => value);
  // A proxy may add a missing scheme.
  const wrapped = values.map((value) => (parseUrl(value) ? value : `https://${value.replace(/^\/+/u, '')}`));
  return { url, wrapped: wrapped.filter((inner) => parseUrl(inner) && inner.length < text.length) };
}
