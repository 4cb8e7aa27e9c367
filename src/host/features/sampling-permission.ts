import { randomHex } from '../../edge/random-hex.js';
import type { PermissionGuard } from '../../guard/permission-guard.js';
import { actName, type ServerAct } from '../../model/permissions/server-act.js';
import { type Rival, otherServerTest } from '../../model/permissions/rivals.js';
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
  /** Hash of the server's current config. */
  readonly serverHash: () => string | undefined;
}

/**
 * Decides whether a server may use the model, like a call of its tool `sampling`: by rules that deny it or its server,
 * a rule that allows exactly this, modes, and once in a session the user. Denied where nobody can be asked.
 */
export function samplingPermit({ guard, subject, serverHash }: SamplingPermitOptions): SamplingOptions['permit'] {
  return async (request, signal) => {
    const hash = serverHash();
    // The question names the server elsewhere.
    const input = Object.fromEntries(Object.entries(request).filter(([field]) => field !== 'server'));
    const callId = `sampling-${randomHex(4)}`;
    const verdict = await guard.check(subject(), { input, callId, signal, serverHash: hash });
    // The user allowed the server with the config that it had when the question was asked.
    return verdict.kind === 'allowed' && serverHash() === hash ? 'allow' : 'deny';
  };
}

export interface SamplingSubjectOptions {
  readonly server: string;
  readonly entry: ServerPermissions | undefined;
  /** The names of all servers. */
  readonly servers: readonly string[];
  readonly isConnector?: boolean;
  /** Other servers that a rule may name as well. */
  readonly rivals?: readonly Rival[];
}

/** Sampling as the subject of a permission: no tool, but rules name it like one. */
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
    // Sampling costs money, and the model's answer goes to the server.
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: true },
  };
  return toSubject(tool, { entry, sharesName, longer: longerNames(server, servers), claims: otherServerTest(rivals) });
}

const ACT: ServerAct = 'sampling';
