import type { ConfiguredServer } from '../../config/entries/server.js';
import { actName, serverActs } from '../../model/permissions/server-act.js';
import { serverSpellings, sharedNames } from '../../model/permissions/subject.js';
import type { Tool } from '../../model/tool.js';

export type NamedAct = Pick<Tool, 'name' | 'server' | 'tool' | 'title' | 'hints' | 'marks' | 'act' | 'alias'>;

/** The act that a name such as `mcp__server__resources` means. Rules decide about acts as they do about tools. */
export function findAct(word: string, servers: readonly ConfiguredServer[]): NamedAct | undefined {
  const shared = sharedNames(servers.map(({ name }) => name));
  for (const { name: server, scope } of servers) {
    for (const act of serverActs) {
      const name = actName({ act, server, sharesName: shared.has(server), isConnector: scope === 'connectors' });
      const spellings = shared.has(server) ? [] : serverSpellings(server).map((one) => `mcp__${one}__${act}`);
      if (word !== name && word !== `${server}.${act}` && !spellings.includes(word)) continue;
      return {
        ...NOTHING_SAID,
        name,
        server,
        tool: act,
        act,
        ...(act === 'resources' && { alias: 'ReadMcpResource' }),
      };
    }
  }
  return undefined;
}

const NOTHING_SAID = {
  title: undefined,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
};
