import { HostError } from '../../base/errors.js';
import type { Finding } from '../../host/diagnose.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { showPlace } from '../../model/text/problem-text.js';
import { connectionsOf } from '../running-server.js';
import { loginCommand } from '../servers/login-command.js';
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
export async function diagnosedError(error: unknown, host: Host): Promise<unknown> {
  if (!(error instanceof HostError) || error instanceof DiagnosedError) return error;
  const failed = failureBehind(error, host);
  if (!failed) return error;
  const { name } = failed;
  const { loaded } = host[inside];
  const { diagnose } = await import('../../host/diagnose.js');
  const findings = await diagnose(loaded, { host: toDiagnosed(host), only: name });
  const server = loaded.servers.find((one) => one.name === name && one.standing.kind === 'ready');
  const finding = findings.find(({ severity }) => severity === 'error');
  if (!finding || !server) return error;
  const hint = loginCommand(finding.hint, server);
  // The next run knows a server from the command line only with the same flags.
  const flags = server.scope === 'dynamic' ? hint.replace(OWN_COMMAND, 'with the same flags: $1') : hint;
  // An error that names the failure as its cause tells what could not be done because of it.
  const message = failed.error === error ? finding.message : error.message;
  return new DiagnosedError(error, { ...finding, message, hint: flags });
}

const OWN_COMMAND = /(?<!flags: )(plugboard (?:doctor|get|logs|reconnect) )/u;

/** The failure of a server that this error is, or was caused by. */
function failureBehind(error: HostError, host: Host): { readonly name: string; readonly error: HostError } | undefined {
  const chain = new Set<unknown>();
  for (let one: unknown = error; one instanceof Error && !chain.has(one); one = one.cause) chain.add(one);
  for (const { name, status, listProblems } of connectionsOf(host)) {
    const known = [...('error' in status ? [status.error] : []), ...listProblems.values()];
    const failure = known.find((one) => chain.has(one));
    if (failure) return { name, error: failure };
  }
  return undefined;
}
