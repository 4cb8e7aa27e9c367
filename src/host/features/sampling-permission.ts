import { randomHex } from '../../edge/random-hex.js';
import type { PermissionGuard } from '../../guard/permission-guard.js';
import { actName, type ServerAct } from '../../model/permissions/server-act.js';
import { type Rival, toClaims } from '../../model/permissions/rivals.js';
import {
  longerNames,
  type PermissionSubject,
  type ServerPermissions,
  sharedNames,
  toSubject,
} from '../../model/permissions/subject.js';
import type { SamplingOptions } from './sampling-feature.js';

export interface SamplingPermitOptions {
  readonly guard: PermissionGuard;
  readonly subject: () => PermissionSubject;
  /** Of the server's config, as of now. */
  readonly serverHash: () => string | undefined;
}

/**
 * Whether a server may use the model, decided as about a call of a tool `sampling` of its: rules that stop it or its server, one that
 * allows exactly this, modes, and the first time in a session the user. Nobody to ask means no.
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
  readonly entry: ServerPermissions | undefined;
  /** The names of all servers. */
  readonly servers: readonly string[];
  readonly isConnector?: boolean;
  /** Servers that a rule may mean as well. */
  readonly rivals?: readonly Rival[];
}

/** It is no tool, and rules name it like one. */
export function samplingSubject(options: SamplingSubjectOptions): PermissionSubject {
  const { server, entry, servers, isConnector = false, rivals = [] } = options;
  const sharesName = sharedNames(servers).has(server);
  const tool = {
    // mcp__server__sampling
    name: actName({ act: ACT, server, sharesName, isConnector }),
    server,
    tool: ACT,
    act: ACT,
    title: 'Use your model',
    // It costs, and what it says goes to the server.
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: true },
  };
  return toSubject(tool, { entry, sharesName, longer: longerNames(server, servers), claims: toClaims(rivals) });
}

const ACT: ServerAct = 'sampling';
