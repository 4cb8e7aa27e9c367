import { scopedCommand } from '../../base/shell-word.js';
import { onlyName } from '../arguments.js';
import { loadRun, problemNotes } from '../load.js';
import { showLine } from '../show.js';
import type { Verb } from '../verb.js';

export const get: Verb = {
  name: 'get',
  usage: 'NAME',
  summary: 'Show one entry, and why it runs or does not',
  completes: 'server',
  examples: ['plugboard get github', 'plugboard get github --json --reveal'],
  async run(invocation, io) {
    const name = onlyName(invocation);
    const loaded = await loadRun(invocation, io);
    const { isEditable, unknownServer } = await import('../../config/manage.js');
    const { scopeHeading, statusText, toConfigView, toRow } = await import('../server-view.js');
    const definitions = loaded.servers.filter((server) => server.name === name);
    const main =
      definitions.find(({ standing }) => standing.kind === 'ready' || standing.kind === 'disabled') ?? definitions[0];
    if (!main) throw unknownServer(loaded, name);
    const reveal = invocation.has('reveal');
    const config = toConfigView(main, { reveal });
    const problems = loaded.problems.filter(({ server }) => server === name);
    const others = definitions.filter((server) => server !== main);
    const text = [
      `${showLine(name)}:`,
      `  Scope: ${scopeHeading(main)}`,
      `  Status: ${statusText(main)}`,
      ...Object.entries(config ?? {}).map(([field, value]) =>
        showLine(`  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
      ),
      ...others.map((server) => `  Also in ${scopeHeading(server)}: ${statusText(server)}`),
      ...(isEditable(main.scope)
        ? ['', `To remove this server, run: ${showLine(scopedCommand('remove', name, main.scope))}`]
        : []),
    ].join('\n');
    return {
      data: {
        ...toRow(main),
        config,
        capabilities: null,
        instructions: null,
        definitions: definitions.map(toRow),
        problems,
      },
      text,
      notes: problemNotes(problems, { io, noColor: invocation.has('no-color') }),
    };
  },
};
