import { HostError } from '../../../base/errors.js';
import { nearest } from '../../../base/nearest.js';
import type { Action } from '../../../actions/action.js';
import { approve } from '../../../actions/servers/approve.js';
import { login } from '../../../actions/servers/login.js';
import { logout } from '../../../actions/servers/logout.js';
import { logs } from '../../../actions/servers/logs.js';
import { reconnect } from '../../../actions/servers/reconnect.js';
import { tools } from '../../../actions/calls/tools.js';
import { disable, enable } from '../../../actions/servers/toggle.js';
import type { ServerCommandOptions } from '../server-command.js';
import { serverItems } from '../completion/complete-tools.js';
import type { Command, CommandContext } from '../command.js';

/** What `/mcp` can do with a server. */
interface McpAction {
  readonly name: string;
  readonly summary: string;
  /** Whether `all` is allowed in place of a name. */
  readonly takesAll?: boolean;
  /** Flags that it takes. */
  readonly flags?: readonly string[];
  readonly run: (context: CommandContext, name: string | undefined, flags: readonly string[]) => Promise<void>;
}

const actions: readonly McpAction[] = [
  fromAction(reconnect, { takesAll: true }),
  fromAction(enable),
  fromAction(disable),
  fromAction(login, { flags: ['--no-browser', '--device'] }),
  fromAction(logout),
  // `asks`: a name alone does not mean that the user has read the entry.
  fromAction(approve, { takesAll: true, marks: { asks: true } }),
  fromAction(tools),
  fromAction(logs),
];

function fromAction(
  action: Action,
  {
    marks = {},
    ...more
  }: Pick<McpAction, 'takesAll' | 'flags'> & { readonly marks?: ServerCommandOptions['marks'] } = {},
): McpAction {
  return {
    ...more,
    name: action.name,
    summary: action.summary,
    async run(context, name, flags) {
      await (await import('../server-command.js')).runServerCommand(action, context, { name, flags, marks });
    },
  };
}

export const mcpCommand: Command = {
  name: 'mcp',
  usage: '[ACTION NAME]',
  summary: `Show the servers live, or do something with one: ${actions.map(({ name }) => name).join(', ')}`,
  completes({ session: { host } }, { before, last }) {
    const [action] = before;
    if (action === undefined) {
      return actions
        .filter(({ name }) => name.startsWith(last))
        .map(({ name, summary }) => ({ text: name, about: summary, isWhole: true }));
    }
    return before.length === 1 ? serverItems(host, last) : [];
  },
  async run(context, [word, ...words]) {
    if (word === undefined) return (await import('../show-servers.js')).showServers(context);
    const action = actions.find((one) => one.name === word);
    if (!action) {
      const [close] = nearest(
        word,
        actions.map((one) => one.name),
      );
      throw new HostError('usage', `/mcp has no action "${word}"`, {
        hint:
          close === undefined ? `One of ${actions.map((one) => one.name).join(', ')}` : `Did you mean /mcp ${close}?`,
      });
    }
    const flags = words.filter((one) => action.flags?.includes(one));
    const [name, ...more] = words.filter((one) => !flags.includes(one));
    if (more.length > 0) {
      throw new HostError('usage', `/mcp ${word} takes one name, but also got "${more[0]}"`, {
        hint: `/mcp ${word} NAME`,
      });
    }
    const isAll = name === 'all' && !context.session.host.server('all');
    if (isAll && action.takesAll !== true) {
      throw new HostError('usage', `/mcp ${word} takes the name of one server`, { hint: `/mcp ${word} NAME` });
    }
    return action.run(context, isAll ? undefined : (name ?? onlyName(context, word, action)), flags);
  },
};

/** The name may be omitted where there is only one server. */
function onlyName({ session: { host } }: CommandContext, word: string, { takesAll }: McpAction): string | undefined {
  if (takesAll === true && word === 'approve') return undefined;
  const names = [...new Set(host.servers().map(({ name }) => name))];
  if (names.length === 1) return names[0];
  throw new HostError('usage', `/mcp ${word} needs the name of a server${takesAll === true ? ', or all' : ''}`, {
    hint:
      names.length === 0 ? 'There are no servers: plugboard add NAME URL' : `One of ${names.slice(0, 10).join(', ')}`,
  });
}
