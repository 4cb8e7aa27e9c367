import { HostError } from '../base/errors.js';
import { readBounded } from '../edge/files/read-file.js';
import { replaceFile } from '../edge/files/write-file.js';
import { gateUrl } from '../model/urls/url-gate.js';
import { isObject } from '../base/json.js';
import type { RawEntry } from '../transports/kind.js';
import type { ConfigContext } from './context.js';
import type { ConnectorService } from './scope.js';
import { catalogueFile } from './scopes/connectors.js';

const CATALOGUE_LIMIT = 1_000_000; // bytes; some 5,000 connectors
const CONNECTOR_LIMIT = 1000; // entries
const CATALOGUE_TIMEOUT_MS = 10_000;
const FRESH_MS = 300_000;

/** Fetches the connector catalogue and saves it. Throws a `HostError` on failure; the saved one stays. */
export async function refreshConnectors(
  context: ConfigContext,
  catalogue: ConnectorService,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<void> {
  const gate = gateUrl(catalogue.url, { from: 'user', purpose: 'fetch' });
  const hint = 'Correct settings.connectors.url';
  if (!gate.ok) throw new HostError('url-refused', `settings.connectors.url: ${gate.reason}`, { hint });
  const { token } = catalogue;
  if (gate.warnings.includes('plain-http') && token !== undefined) {
    throw new HostError('url-refused', 'settings.connectors.url is not https, so Plugboard does not send the token', {
      hint,
    });
  }
  const { env, cwd } = context;
  const { fetchText } = await import('../edge/network/fetch-text.js');
  const text = await fetchText(gate.href, {
    label: `The catalogue ${gate.url.origin}`,
    env,
    cwd,
    headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token.reveal()}` }) },
    limit: CATALOGUE_LIMIT,
    timeoutMs: options.timeoutMs ?? CATALOGUE_TIMEOUT_MS,
    ...(options.signal && { signal: options.signal }),
  });
  const servers = toServers(parseList(text), gate.url);
  const file = catalogueFile(context, catalogue);
  if (file !== undefined) await replaceFile(file, `${JSON.stringify({ mcpServers: servers })}\n`, { mode: 0o600 });
}

export type Refreshed =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'refreshed' }
  | { readonly kind: 'failed'; readonly error: HostError };

/** Fetches only if the saved catalogue is older than 5 minutes. `waitMs`: the timeout for a run that ends at once. */
export async function refreshStale(
  context: ConfigContext,
  catalogue: ConnectorService,
  { waitMs, now, signal }: { readonly waitMs?: number; readonly now: Date; readonly signal?: AbortSignal },
): Promise<Refreshed> {
  const file = catalogueFile(context, catalogue);
  const known = file === undefined ? undefined : readBounded(file);
  if (known?.kind === 'text' && now.getTime() - known.mtimeMs < FRESH_MS) return { kind: 'fresh' };
  try {
    // With a saved catalogue an eighth of the wait is enough.
    const timeoutMs = waitMs === undefined || known?.kind !== 'text' ? waitMs : waitMs / 8;
    await refreshConnectors(context, catalogue, {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { signal }),
    });
    return { kind: 'refreshed' };
  } catch (error) {
    if (error instanceof HostError) return { kind: 'failed', error };
    throw error;
  }
}

function parseList(text: string): readonly unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new HostError('fetch-failed', 'The connector catalogue is not JSON', {
      hint: 'Check settings.connectors.url',
      cause,
    });
  }
  if (Array.isArray(list)) return list.slice(0, CONNECTOR_LIMIT);
  throw new HostError('fetch-failed', 'The connector catalogue is not a list', {
    hint: 'Expected [{ "name", "url", "proxyUrl"? }]',
  });
}

/** Keeps only URLs that pass the gate: the catalogue must not direct the token to arbitrary hosts. */
function toServers(list: readonly unknown[], catalogue: URL): Readonly<Record<string, RawEntry>> {
  const servers = new Map<string, RawEntry>();
  for (const item of list) {
    if (!isObject(item)) continue;
    const { name, url, proxyUrl } = item;
    if (typeof name !== 'string' || typeof url !== 'string' || servers.has(name)) continue;
    const gate = (text: string): boolean => gateUrl(text, { from: 'server', purpose: 'fetch', origin: catalogue }).ok;
    if (!gate(url) || (proxyUrl !== undefined && (typeof proxyUrl !== 'string' || !gate(proxyUrl)))) continue;
    servers.set(
      name,
      typeof proxyUrl === 'string' ? { type: 'connector-proxy', url, proxyUrl } : { type: 'http', url },
    );
  }
  return Object.fromEntries(servers);
}
