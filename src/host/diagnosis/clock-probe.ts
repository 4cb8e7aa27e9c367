import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { exchange } from '../../edge/network/http-exchange.js';
import { findRoute } from '../../edge/network/route.js';
import { parseUrl } from '../../base/parse-url.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { Finding } from './finding.js';

/** How far the clock of an HTTP server is ahead of this machine's. */
interface ClockDifference {
  readonly origin: string;
  readonly ms: number;
}

/**
 * Compares the clock of this machine with the `Date` header of remote servers that have answered. A clock that is wrong
 * by minutes makes tokens and certificates look expired, or not valid yet.
 */
export async function probeClock(
  answering: readonly ConfiguredServer[],
  { context }: HostConfig,
): Promise<readonly Finding[]> {
  const origins = new Map<string, ConfiguredServer>();
  for (const server of answering) {
    const target = server.config && serverTargetOf(server.config);
    const url = target?.kind === 'url' ? parseUrl(target.url) : undefined;
    if (url && /^https?:$/u.test(url.protocol) && !origins.has(url.origin)) origins.set(url.origin, server);
  }
  const asked = await Promise.all(
    [...origins].slice(0, ORIGINS_LIMIT).map(([origin, server]) => differenceOf(origin, { server, context })),
  );
  const known = asked.filter((one) => one !== undefined);
  const wrong = known.filter(({ ms }) => Math.abs(ms) > TOLERATED_MS);
  if (wrong.length === 0) return [];
  // One server among several that agree with this machine has a wrong clock itself.
  if (wrong.length < known.length) return wrong.map(serverClockFinding);
  const [{ origin, ms }] = wrong as [ClockDifference];
  const message = `The clock of this machine is ${spanText(ms)} ${ms > 0 ? 'behind' : 'ahead of'} that of ${origin}`;
  const cause = `it is ${new Date().toISOString()} here and ${new Date(Date.now() + ms).toISOString()} there; tokens and certificates are checked against the clock`;
  return [{ severity: 'warning', code: 'clock', message, cause, hint: clockHint(context.platform) }];
}

function serverClockFinding({ origin, ms }: ClockDifference): Finding {
  const message = `The clock of ${origin} is ${spanText(ms)} ${ms > 0 ? 'ahead of' : 'behind'} that of this machine, and other servers agree with this machine`;
  const hint = 'Tell the operator of that server: sign-ins to it may fail';
  return { severity: 'info', code: 'clock', message, hint };
}

const ORIGINS_LIMIT = 3;
const TOLERATED_MS = 5 * 60_000; // what most authorization servers tolerate
const ANSWER_LIMIT = 1_000_000; // bytes
const ANSWER_MS = 3000;
/** IMF-fixdate (RFC 9110, section 5.6.7). `Date.parse` also takes years that no later date can be computed from. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u;

async function differenceOf(
  origin: string,
  { server, context }: { readonly server: ConfiguredServer; readonly context: HostConfig['context'] },
): Promise<ClockDifference | undefined> {
  const label = `Server "${server.name}"`;
  // Servers with a sign-in have a page there, and the others answer 404; either has a date.
  const url = new URL('/.well-known/oauth-protected-resource', origin);
  const { env, cwd } = context;
  try {
    const route = await findRoute(url, { label, env, cwd, tls: tlsOf(server) });
    const started = Date.now();
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { headers } = await exchange(url, { label, route, headers: {}, limit: ANSWER_LIMIT, signal });
    const date = headers.get('date') ?? '';
    const there = HTTP_DATE.test(date) ? Date.parse(date) : Number.NaN;
    return Number.isNaN(there) ? undefined : { origin, ms: there - (started + Date.now()) / 2 };
  } catch {
    return undefined; // nothing is known of that clock; what is wrong with the server is found elsewhere
  }
}

function tlsOf({ config }: ConfiguredServer): { ca?: string; cert?: string; key?: string } | undefined {
  return config && 'tls' in config ? config.tls : undefined;
}

function spanText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function clockHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Set the clock: sudo sntp -sS time.apple.com';
  if (platform === 'win32') return 'Set the clock, as administrator: w32tm /resync';
  return 'Set the clock: sudo timedatectl set-ntp true; in a container or virtual machine, set that of its host';
}
