import { HostError } from '../../base/errors.js';
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
  const failure = failureBehind(error, host);
  if (!failure) return error;
  return toDiagnosedError(error, failure, { host, findings: await findingsOf(host, failure.name) });
}

/** The same for servers that are missing in a list: all of them are diagnosed at once. */
export async function diagnosedServers<Missing extends { readonly error: HostError }>(
  missing: readonly Missing[],
  host: Host,
): Promise<readonly Missing[]> {
  if (missing.length === 0) return missing;
  const findings = await findingsOf(host);
  return missing.map((one) => {
    const failure = failureBehind(one.error, host);
    return failure ? { ...one, error: toDiagnosedError(one.error, failure, { host, findings }) } : one;
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

function toDiagnosedError(
  error: HostError,
  failure: Failure,
  { host, findings }: { readonly host: Host; readonly findings: readonly Finding[] },
): HostError {
  const { name } = failure;
  const server = host[inside].loaded.servers.find((one) => one.name === name && one.standing.kind === 'ready');
  const finding = findings.find((one) => one.server === name && one.severity === 'error');
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

/** The failure of a server that this error is, or was caused by. */
function failureBehind(error: HostError, host: Host): Failure | undefined {
  if (error instanceof DiagnosedError) return undefined;
  const chain = new Set<unknown>();
  for (let one: unknown = error; one instanceof Error && !chain.has(one); one = one.cause) chain.add(one);
  for (const { name, status, listProblems } of connectionsOf(host)) {
    const known = [...('error' in status ? [status.error] : []), ...listProblems.values()];
    const failure = known.find((one) => chain.has(one));
    if (failure) return { name, error: failure };
  }
  return undefined;
}
