import type { ConfiguredServer } from '../../config/entries/server.js';
import type { HostConfig } from '../../config/load.js';
import type { Finding } from '../../host/diagnose.js';
import type { Host } from '../../host/host.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { describeProblem } from '../../model/text/problem-text.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { connectionsOf } from '../running-server.js';
import { toDiagnosed } from './diagnosed-host.js';
import { dynamicHint } from '../servers/dynamic-hint.js';
import { isUnhealthy, lastWords } from '../servers/server-status.js';

export interface CausesOptions {
  /** One state per definition, in the same order. */
  readonly states: readonly ServerState[];
  /** Undefined: no server was asked. */
  readonly host: Host | undefined;
  /** `--timeout` passed before all servers had settled. */
  readonly isTimedOut: boolean;
}

/** Why servers do not run as they should: what `doctor` says about each, without the problems of files. */
export async function causesOf(loaded: HostConfig, options: CausesOptions): Promise<readonly Finding[]> {
  const { states, host, isTimedOut } = options;
  const { servers, problems } = loaded;
  const ill = new Set(servers.filter((_, at) => isIll(states[at]!)).map(({ name }) => name));
  const signedOut = new Set(servers.filter((_, at) => states[at]!.status === 'needs-auth').map(({ name }) => name));
  const changed = new Set(servers.filter(isChanged).map(({ name }) => name));
  const broken = new Set(
    host
      ? connectionsOf(host)
          .filter(hasBrokenTools)
          .map(({ name }) => name)
      : [],
  );
  if (
    ill.size + changed.size + broken.size === 0 &&
    servers.every(({ standing }) => !TOLD_STANDINGS.has(standing.kind))
  )
    return [];
  const { diagnose } = await import('../../host/diagnose.js');
  const found = await diagnose(loaded, { host: host && toDiagnosed(host), isTimedOut });
  // Problems of files are notes of their own.
  const told = new Set(problems.map(describeProblem));
  // Of several definitions of a name the one that runs is meant.
  const running = servers.filter(({ standing }) => standing.kind === 'ready');
  const byName = new Map([...servers, ...running].map((server) => [server.name, server]));
  const order = new Map(servers.map(({ name }, at) => [name, at]));
  const placeOf = ({ server = '' }: Finding): number => order.get(server) ?? 0;
  return found
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .filter(({ server, severity, code, message }) => {
      if (server === undefined || told.has(message)) return false;
      if (TOLD_CODES.has(code)) return true;
      if (code === 'unapproved') return changed.has(server);
      if (code === 'bad-schema' || code === 'answer-too-large') return broken.has(server);
      return severity !== 'info' && ill.has(server) && !ADVICE.has(code);
    })
    .map((finding) => {
      const { stderr, cause, ...rest } = finding;
      const server = byName.get(finding.server!)!;
      const hint = dynamicHint(finding.hint, server);
      if (finding.code === 'needs-auth' && signedOut.has(server.name)) return signInNote(server.name, hint);
      const lines = lastWords(stderr);
      return {
        ...rest,
        hint,
        // A challenge is long, and the sentence and the hint say what to do.
        ...(cause !== undefined && finding.code !== 'needs-auth' && { cause }),
        ...(lines.length > 0 && { stderr: lines.join('\n') }),
      };
    });
}

/** Nothing is broken: the server waits for its user. */
function signInNote(server: string, hint: string): Finding {
  return { server, severity: 'info', code: 'needs-auth', message: `"${server}" needs you to sign in`, hint };
}

/** A pending server has no cause: the user stopped waiting for it. */
function isIll(state: ServerState): boolean {
  return state.status !== 'pending' && (isUnhealthy(state) || state.drift !== undefined);
}

function hasBrokenTools({ status, catalog }: ServerLifecycle): boolean {
  return status.kind === 'connected' && catalog.setAside.length > 0;
}

function isChanged({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'unapproved' && standing.previous !== undefined;
}

const TOLD_STANDINGS: ReadonlySet<string> = new Set(['denied', 'untrusted', 'suppressed']);
const TOLD_CODES: ReadonlySet<Finding['code']> = new Set(['denied', 'folder-untrusted', 'shadowed', 'duplicate']);
/** Advice that is not the cause of a failure: for `doctor` alone. */
const ADVICE: ReadonlySet<Finding['code']> = new Set(['shared-secret', 'readable-secret', 'mixed-script', 'odd-list']);
