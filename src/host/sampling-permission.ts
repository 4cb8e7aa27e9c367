import { randomHex } from '../edge/random-hex.js';
import type { PermissionGuard } from '../guard/permission-guard.js';
import { toPrefix } from '../model/names.js';
import { PREFIX, SEPARATOR } from '../model/permissions/rule.js';
import {
  longerNames,
  type PermissionSubject,
  type ServerWord,
  sharedNames,
  toSubject,
} from '../model/permissions/subject.js';
import type { SamplingOptions } from './serve-sampling.js';

export interface SamplingPermitOptions {
  readonly guard: PermissionGuard;
  readonly subject: () => PermissionSubject;
  /** Of the server's config, as of now. */
  readonly serverHash: () => string | undefined;
}

/**
 * Whether a server may use the model, decided as about a call of a tool `sampling` of its: rules that name it or its server, modes, and
 * the first time in a session the user. Nobody to ask means no.
 */
export function samplingPermit({ guard, subject, serverHash }: SamplingPermitOptions): SamplingOptions['permit'] {
  return async (request, signal) => {
    const hash = serverHash();
    // Whose it is stands beside it.
    const input = Object.fromEntries(Object.entries(request).filter(([field]) => field !== 'server'));
    const callId = `sampling-${randomHex(4)}`;
    const verdict = await guard.check(subject(), { input, callId, signal, serverHash: hash });
    // Who said yes meant the server as it was.
    return verdict.kind === 'allowed' && serverHash() === hash ? 'allow' : 'deny';
  };
}

export interface SamplingSubjectOptions {
  readonly server: string;
  readonly entry: ServerWord | undefined;
  /** The names of all servers. */
  readonly servers: readonly string[];
  readonly isConnector?: boolean;
}

/** It is no tool, and rules name it like one. */
export function samplingSubject(options: SamplingSubjectOptions): PermissionSubject {
  const { server, entry, servers } = options;
  const tool = {
    name: samplingName(options),
    server,
    tool: TOOL,
    title: 'Use your model',
    // It costs, and what it says goes to the server.
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: true },
  };
  const sharesName = sharedNames(servers).has(server);
  const subject = toSubject(tool, { entry, sharesName, longer: longerNames(server, servers) });
  // That is said of its tools: nobody who wrote it thought of what a model costs.
  return { ...subject, isTrusted: false };
}

/**
 * `mcp__server__sampling`. No tool may have it: reserve it where tools get their names. Where two servers' names look alike in a
 * tool's, it has the server's as it is written, which no tool can have anyway.
 */
export function samplingName({ server, servers, isConnector = false }: Omit<SamplingSubjectOptions, 'entry'>): string {
  const isShared = sharedNames(servers).has(server);
  return (isShared ? PREFIX + server + SEPARATOR : toPrefix(server, isConnector)) + TOOL;
}

const TOOL = 'sampling';
