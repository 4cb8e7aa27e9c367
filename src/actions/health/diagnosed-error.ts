import { HostError } from '../../base/errors.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Finding } from '../../host/diagnose.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { showPlace } from '../../model/text/problem-text.js';
import { connectionsOf } from '../running-server.js';
import { dynamicHint } from '../servers/dynamic-hint.js';
import { toDiagnosed } from './diagnosed-host.js';

/** The failure of a server in the words of `doctor`. Code and detail stay: scripts and exit codes depend on them. */
export class DiagnosedError extends HostError {
  /** What came from outside Plugboard: the system's error, a header, the server's stdout. */
  readonly because: string | undefined;
  /** The line of the entry, where one helps. */
  readonly place: string | undefined;

  constructor(error: HostError, { message, hint, cause, file, line, column }: Finding) {
    super(error.code, message, { hint, cause: error, detail: error.detail });
    this.because = cause === undefined || message.includes(cause) ? undefined : cause;
    this.place = file === undefined ? undefined : showPlace(file, { line, column });
  }
}

/** An error that is, or comes from, the failure of a server of this host is diagnosed; any other stays as it is. */
export async function diagnosedError(error: HostError, host: Host): Promise<HostError> {
  const failure = failureBehind(error, failuresOf(host));
  if (!failure) return error;
  const findings = errorsByServer(await findingsOf(host, failure.name));
  return toDiagnosedError(error, failure, { findings, servers: readyServers(host) });
}

/** The same for servers that are missing in a list: all of them are diagnosed at once. */
export async function diagnosedServers<Missing extends { readonly error: HostError }>(
  missing: readonly Missing[],
  host: Host,
): Promise<readonly Missing[]> {
  if (missing.length === 0) return missing;
  const failures = failuresOf(host);
  const findings = errorsByServer(await findingsOf(host));
  const servers = readyServers(host);
  return missing.map((one) => {
    const failure = failureBehind(one.error, failures);
    return failure ? { ...one, error: toDiagnosedError(one.error, failure, { findings, servers }) } : one;
  });
}

/** The failures of all servers, by name, each with how it is told. */
export async function diagnosedFailures(
  host: Host,
): Promise<ReadonlyMap<string, { readonly failure: HostError; readonly told: HostError }>> {
  const failed = connectionsOf(host).flatMap(({ name, status }) =>
    'error' in status ? [{ name, failure: status.error, error: status.error }] : [],
  );
  const told = await diagnosedServers(failed, host);
  return new Map(told.map(({ name, failure, error }) => [name, { failure, told: error }]));
}

/** Never rejects: a diagnosis that fails must not hide what it is about. */
async function findingsOf(host: Host, only?: string): Promise<readonly Finding[]> {
  try {
    const { diagnose } = await import('../../host/diagnose.js');
    return await diagnose(host[inside].loaded, { host: toDiagnosed(host), only });
  } catch {
    return [];
  }
}

/** What is known of all servers, by name: there may be thousands, and all of them may be missing. */
interface Known {
  readonly findings: ReadonlyMap<string, Finding>;
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
}

/** The first error of each server. */
function errorsByServer(findings: readonly Finding[]): Known['findings'] {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const { server, severity } = finding;
    if (server !== undefined && severity === 'error' && !first.has(server)) first.set(server, finding);
  }
  return first;
}

function readyServers(host: Host): Known['servers'] {
  const ready = host[inside].loaded.servers.filter(({ standing }) => standing.kind === 'ready');
  return new Map(ready.toReversed().map((server) => [server.name, server]));
}

function toDiagnosedError(error: HostError, failure: Failure, { findings, servers }: Known): HostError {
  const { name } = failure;
  const server = servers.get(name);
  const finding = findings.get(name);
  if (!finding || !server) return error;
  const hint = dynamicHint(finding.hint, server);
  // An error that names the failure as its cause tells what could not be done because of it.
  const message = failure.error === error ? finding.message : error.message;
  return new DiagnosedError(error, { ...finding, message, hint });
}

interface Failure {
  readonly name: string;
  readonly error: HostError;
}

/** The server that each known failure is of. */
function failuresOf(host: Host): ReadonlyMap<unknown, Failure> {
  const all = new Map<unknown, Failure>();
  for (const { name, status, listProblems } of connectionsOf(host)) {
    for (const error of [...('error' in status ? [status.error] : []), ...listProblems.values()]) {
      if (!all.has(error)) all.set(error, { name, error });
    }
  }
  return all;
}

/** The failure of a server that this error is, or was caused by. */
function failureBehind(error: HostError, failures: ReturnType<typeof failuresOf>): Failure | undefined {
  if (error instanceof DiagnosedError) return undefined;
  const seen = new Set<unknown>();
  for (let one: unknown = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    const failure = failures.get(one);
    if (failure) return failure;
  }
  return undefined;
}
