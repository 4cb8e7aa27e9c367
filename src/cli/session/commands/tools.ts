import { HostError } from '../../../base/errors.js';
import { groupByServer } from '../../../host/group-by-server.js';
import { showLine } from '../../../model/show.js';
import { toRows } from '../../screen-text.js';
import type { Command } from '../command.js';

export const tools: Command = {
  name: 'tools',
  usage: '[words]',
  summary: 'Show the tools that there are, or find some by words',
  async run({ session: { host }, screen }, words) {
    const { columns, style } = screen;
    if (words.length > 0) {
      const found = await host.search(words.join(' '), FOUND);
      if (found.length === 0) {
        throw new HostError('unknown-tool', `No tool is about "${words.join(' ')}"`, { hint: '/tools shows all' });
      }
      const rows = found.map(({ name, description }) => [showLine(name), firstLine(description)] as const);
      screen.print(toRows(rows, columns).join('\n'));
      return;
    }
    const byServer = groupByServer(host.tools());
    if (byServer.size === 0) {
      screen.print('No tools are known. /mcp shows the servers and what they wait for.');
      return;
    }
    let room = SHOWN;
    for (const [server, all] of byServer) {
      const shown = all.slice(0, room);
      room -= shown.length;
      const rows = await Promise.all(
        shown.map(async ({ name, tool, title }) => {
          const { description = title ?? '' } = (await host.tool(name)) ?? {};
          return [showLine(tool), firstLine(description)] as const;
        }),
      );
      const rest = all.length - shown.length;
      screen.print(
        [
          style.bold(showLine(`${server}: ${all.length === 1 ? '1 tool' : `${all.length} tools`}`)),
          ...toRows(rows, columns),
          ...(rest > 0 ? [`  … and ${rest} more: /tools WORDS finds them`] : []),
        ].join('\n'),
      );
    }
  },
};

function firstLine(text: string): string {
  return showLine(text.trim().split('\n')[0] ?? '');
}

const FOUND = 20;
const SHOWN = 200; // more scrolls by unread
