import type { PermissionGuard } from '../../guard/permission-guard.js';
import type { HookSubject } from '../../guard/hook-list.js';
import type { HookCall } from '../../model/hooks/hook-call.js';
import { modeFor } from '../../model/permissions/settings.js';
import type { Tool } from '../../model/tool.js';
import type { Servers } from '../servers/servers.js';
import type { ToolCall } from './pipeline.js';

/** Calls as hooks are told about them. */
export interface HookCalls {
  /** What matchers are compared with. */
  subjectOf(tool: Tool): HookSubject & Pick<HookCall, 'name' | 'server' | 'tool' | 'alias' | 'accountOf'>;
  of(call: ToolCall, subject?: ReturnType<HookCalls['subjectOf']>): HookCall;
}

export function hookCalls(servers: Servers, guard: PermissionGuard): HookCalls {
  const entryOf = (server: string | undefined): ReturnType<Servers['entry']> =>
    server === undefined ? undefined : servers.entry(server);
  const subjectOf: HookCalls['subjectOf'] = ({ name, alias, server, tool }) => ({
    name,
    alias,
    server,
    tool,
    accountOf: entryOf(server)?.accountOf,
  });
  return {
    subjectOf,
    of: ({ tool, input, context: { callId, signal } }, subject = subjectOf(tool)) => {
      const { server } = tool;
      const entry = entryOf(server);
      const of = { server, hasTwin: entry?.twins !== undefined, accountOf: entry?.accountOf };
      const mode = modeFor(guard.settings, of)?.mode ?? 'default';
      return { ...subject, input, callId, source: entry?.scope, mode, signal };
    },
  };
}
