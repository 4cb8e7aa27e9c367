import { parseUrl } from '../base/parse-url.js';
import { nameWord } from '../base/shell-word.js';
import { HostError } from '../base/errors.js';
import type { Secret } from '../base/secret.js';
import { unreachable } from '../base/never.js';
import { type ConfigFinding, diagnoseConfig, inOrder } from '../config/doctor/doctor.js';
import { diagnoseSandboxes } from '../config/doctor/doctor-sandbox.js';
import { type FindPlace, openPlaces } from '../config/entries/entry-place.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { systemError } from '../base/system-code.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import { redactorOf, entrySecrets } from '../connection/entry-secrets.js';
import { findProxy } from '../edge/network/proxy-choice.js';
import { groupByKeys } from '../model/grouped.js';
import { stderrOf } from '../model/text/error-stderr.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { gateLine, gateText } from '../model/text/text-gate.js';
import type { ServerConfig } from '../transports/kinds.js';
import { serverTargetOf } from '../transports/kinds.js';
import { isFramed } from '../wire/framing.js';
import { type FailureCode, failureCode, type FailureFacts } from './diagnosis/failure-code.js';
import { fieldOf, type Finding } from './diagnosis/finding.js';
import { diagnoseLive } from './diagnosis/live.js';
import { tryMachine } from './diagnosis/machine.js';
import { remedyInPrivate } from './diagnosis/private-start.js';
import { lackingScopes, remedyFor } from './diagnosis/remedy.js';
import { diagnoseUnmatched } from './diagnosis/unmatched.js';
import { driftWords } from '../model/pins/drift-text.js';
import type { DriftDetail } from './calls/drift.js';
import { plainSecrets } from './support/plain-secrets.js';
import { findUnmatched, type Unmatched } from './tools/unmatched.js';

export type { Finding } from './diagnosis/finding.js';

/** The part of `Host` that `diagnose` reads: connection, unmatched rules and lock differences. */
export interface DiagnosedHost {
  server(name: string): ServerLifecycle | undefined;
  unmatched?(): Unmatched;
  drift?(name: string): DriftDetail | undefined;
}

export interface DiagnoseOptions {
  /** Undefined: only the files are checked, no server was started. */
  readonly host: DiagnosedHost | undefined;
  /** Checks this server only. */
  readonly only?: string | undefined;
  /** The deadline passed before all servers had settled. */
  readonly isTimedOut?: boolean;
  /** What of this machine is tried as well; `outside` also connects to proxies and asks servers for their time. */
  readonly machine?: 'inside' | 'outside' | undefined;
}

/** All problems, worst first: in the files, on this machine, and with servers that were started and have settled. */
export async function diagnose(loaded: HostConfig, options: DiagnoseOptions): Promise<readonly Finding[]> {
  const { host, only, machine, isTimedOut = false } = options;
  const findPlace = openPlaces();
  const isWanted = (name: string | undefined): boolean => only === undefined || name === only;
  const all = [...diagnoseConfig(loaded), ...(await diagnoseSandboxes(loaded, only))];
  // A disabled server is reported only when the user asks about exactly that server.
  const written = all.filter(({ server, code }) => isWanted(server) && (only !== undefined || code !== 'disabled'));
  const ready = loaded.servers.filter(({ name, standing }) => standing.kind === 'ready' && isWanted(name));
  const notFound = new Set(written.filter(({ code }) => code === 'command-not-found').map(({ server }) => server));
  const found = await Promise.all(
    ready.map(async (server) => {
      const lifecycle = host?.server(server.name);
      const isFound = !notFound.has(server.name);
      return lifecycle ? diagnoseConnection({ server, lifecycle, loaded, isFound, findPlace, isTimedOut }) : undefined;
    }),
  );
  const drifts = ready.flatMap(({ name }) => {
    const drift = host?.drift?.(name);
    return drift ? [driftFinding(name, drift)] : [];
  });
  const live = new Map(ready.map(({ name }, index) => [name, found[index]]));
  // A predicted start problem is dropped once the server has been started, unless the start failed for such a reason.
  const kept = written.filter(({ server = '', code }) => {
    const seen = STARTING.has(code) ? live.get(server) : undefined;
    return !seen || seen.some((finding) => START_FAILURES.has(finding.code));
  });
  const told = new Set(kept.filter(({ code }) => STARTING.has(code)).map(({ server }) => server));
  const failed = found.flatMap((findings) => findings ?? []);
  const news = failed.filter(({ server, code }) => !told.has(server) || !START_FAILURES.has(code));
  const unmatched = host?.unmatched?.() ?? findUnmatched({ loaded, tools: () => [], server: () => undefined });
  const unmet = only === undefined ? diagnoseUnmatched(unmatched, loaded) : [];
  const tried = machine ? await tryMachine({ ready, loaded, host, machine }) : [];
  // A proxy that a server fails at is told of once, with that server.
  const isToldOf = (code: string): boolean => code === 'proxy' && news.some((finding) => finding.code === code);
  const wanted = tried.filter(({ server, code }) => isWanted(server) && !isToldOf(code));
  const definitions = groupByKeys(loaded.servers, ({ name }) => [name]);
  const mended = await Promise.all([...kept, ...wanted].map((finding) => placed(finding, definitions, findPlace)));
  return inOrder([...mended, ...news, ...drifts, ...unmet]);
}

/** A difference from `mcp.lock`: a warning, because the server works and the user should look. */
function driftFinding(server: string, drift: DriftDetail): Finding {
  return {
    server,
    severity: 'warning',
    code: 'lock-drift',
    message: gateLine(`"${server}" differs from ${drift.file}: ${driftWords(drift)}`, { limit: CAUSE_LIMIT * 2 }).text,
    hint: `plugboard approve --diff ${nameWord(server)}`,
  };
}

const STARTING: ReadonlySet<string> = new Set([
  'command-not-found',
  'start-failed',
  'no-folder',
  'sandbox-unavailable',
  'sandbox-path',
]);
const START_FAILURES: ReadonlySet<string> = new Set(['command-not-found', 'start-failed', 'sandbox-unavailable']);

/** Adds the file and line to correct, where one is known. */
async function placed(
  finding: ConfigFinding | Finding,
  definitions: ReadonlyMap<string, readonly ConfiguredServer[]>,
  findPlace: FindPlace,
): Promise<Finding> {
  const { origin, ...told } = { origin: undefined, ...finding };
  const field = fieldOf(told.code);
  if (told.file !== undefined || field === undefined) return told;
  const isMeant = (server: ConfiguredServer): boolean =>
    origin === undefined ? server.standing.kind === 'ready' : server.origin === origin;
  const server = definitions.get(told.server ?? '')?.find(isMeant);
  return { ...told, ...(server && (await findPlace(server, field))) };
}

interface DiagnosedServer {
  readonly server: ConfiguredServer;
  readonly lifecycle: ServerLifecycle;
  readonly loaded: HostConfig;
  /** Whether its command, if it has one, was found in the files' check. */
  readonly isFound: boolean;
  readonly findPlace: FindPlace;
  readonly isTimedOut: boolean;
}

async function diagnoseConnection(diagnosed: DiagnosedServer): Promise<readonly Finding[]> {
  const { server, lifecycle, isTimedOut } = diagnosed;
  const { status } = lifecycle;
  switch (status.kind) {
    case 'connected':
      return diagnoseLive(lifecycle, { isTimedOut, redact: redactorFor(server) });
    case 'failed':
    case 'needs-auth':
    case 'reconnecting':
      return [await toFinding(status.error, diagnosed)];
    case 'pending':
      return [
        await toFinding(new HostError('connect-timeout', `Server "${server.name}" ${NOT_ANSWERED_IN_TIME}`), diagnosed),
      ];
    case 'idle':
    case 'disabled':
      return [];
    default:
      return unreachable(status);
  }
}

const NOT_ANSWERED_IN_TIME = 'did not answer in time';

async function toFinding(error: HostError, diagnosed: DiagnosedServer): Promise<Finding> {
  const { server, lifecycle, loaded, findPlace } = diagnosed;
  const { name } = server;
  const redact = redactorFor(server);
  // A challenge names scopes, which look like a credential and are none: only the entry's secrets are redacted.
  const withoutSecrets = redactorOf(secretsOf(server));
  const code = failureCode(error, factsOf(diagnosed));
  const stderr = redact(gateText(stderrOf(error)).text.trim());
  const cause = causeOf(code, error, lifecycle.noise);
  const place = await findPlace(server, fieldOf(code));
  const remedy = remedyInPrivate(remedyFor(code, error, { server, loaded, nonMessage: lifecycle.noise }), {
    server,
    loaded,
    stderr,
  });
  return {
    server: name,
    severity: 'error',
    code,
    message: redact(gateLine(messageOf(code, error, lifecycle.noise)).text),
    hint: withoutSecrets(gateLine(remedy).text),
    ...(cause !== undefined && { cause: gateLine(withoutSecrets(gateLine(cause).text), { limit: CAUSE_LIMIT }).text }),
    ...(stderr !== '' && { stderr }),
    ...place,
  };
}

const CAUSE_LIMIT = 500;

function messageOf(code: FailureCode, error: HostError, nonMessage: string | undefined): string {
  const { message } = error;
  if (code === 'stdout-noise')
    return `${message}, and printed text on stdout that is not a message: ${nonMessage ?? ''}`;
  const scopes = code === 'forbidden' ? lackingScopes(error) : undefined;
  return scopes === undefined ? message : `${message}: the token lacks the scope ${scopes}`;
}

/** What came from outside Plugboard: the system's error, the `WWW-Authenticate` header, or the server's stdout. */
function causeOf(code: FailureCode, error: HostError, nonMessage: string | undefined): string | undefined {
  const { detail } = error;
  if (detail?.kind === 'http' && detail.challenge !== undefined) return `WWW-Authenticate: ${detail.challenge}`;
  const system = systemError(error);
  if (system) return system.message === '' ? system.name : system.message;
  return code === 'exited' && nonMessage !== undefined ? `on stdout: ${nonMessage}` : undefined;
}

function factsOf({ server, lifecycle, loaded, isFound }: DiagnosedServer): FailureFacts {
  const config = server.config!;
  return {
    isNoisy: lifecycle.noise !== undefined,
    isFramed: lifecycle.noise !== undefined && isFramed(lifecycle.noise),
    hasCommand: serverTargetOf(config).kind === 'command' ? isFound : undefined,
    proxy: proxyOf(config, loaded),
    era: config.era ?? 'auto',
  };
}

function proxyOf(config: ServerConfig, { context }: HostConfig): FailureFacts['proxy'] {
  const target = serverTargetOf(config);
  const url = target.kind === 'url' ? (target.proxyUrl ?? target.url) : undefined;
  if (url === undefined || !parseUrl(url)) return 'none';
  try {
    return findProxy(new URL(url), { label: '', env: context.env }) ? 'used' : 'none';
  } catch {
    return 'malformed'; // the server's own failure names the variable
  }
}

/** Redacts the entry's secrets and whatever looks like a credential. */
function redactorFor(server: ConfiguredServer): (text: string) => string {
  const redactor = textRedactor({ secrets: secretsOf(server) });
  return (text) => redactor.redact(text);
}

function secretsOf({ config }: ConfiguredServer): readonly Secret[] {
  return [...entrySecrets(config), ...plainSecrets(config)];
}
