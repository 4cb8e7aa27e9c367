import { scopedCommand } from '../../base/shell-word.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/server.js';
import { driftWords } from '../../model/pins/drift-text.js';
import { onlyName } from '../arguments.js';
import { exitCodes } from '../io.js';
import { loadToStart } from '../load-to-start.js';
import { problemNotes } from '../load.js';
import { askServers } from '../server-health.js';
import { offerLines, offerOf } from '../server-offer.js';
import { showExact, showLine, showName } from '../../model/show.js';
import { screenColumns, styleFor } from '../style.js';
import type { Verb } from '../verb.js';
import { wrapHint, wrapLine } from '../wrap.js';

export const get: Verb = {
  name: 'get',
  usage: 'NAME [--no-connect]',
  summary: 'Show one server: how it is, what it offers, its entry, and why it runs or does not',
  completes: 'server',
  options: [{ name: 'no-connect', summary: 'do not ask the server itself' }],
  examples: ['plugboard get github', 'plugboard get github --no-connect', 'plugboard get github --json --reveal'],
  async run(invocation, io) {
    const name = onlyName(invocation);
    const loaded = await loadToStart(invocation, io, { starts: (server) => server.name === name });
    const { isEditable, unknownServer } = await import('../../config/manage.js');
    const { sandboxText } = await import('../../config/sandbox-text.js');
    const { startFolderOf } = await import('../../config/private-places.js');
    const { detailLines } = await import('../../actions/server-status.js');
    const { scopeHeading, statusText, toConfigView } = await import('../server-view.js');
    const definitions = loaded.servers.filter((server) => server.name === name);
    const main =
      definitions.find(({ standing }) => standing.kind === 'ready' || standing.kind === 'disabled') ?? definitions[0];
    if (!main) throw unknownServer(loaded, name);
    const asked = await askServers(loaded, {
      invocation,
      io,
      only: name,
      look: (host) => ({ offer: offerOf(host.connection(name)?.catalog), drift: host.drift(name) }),
    });
    const { offer, drift } = asked.seen ?? {};
    const states = loaded.servers.flatMap((server, index) => (server.name === name ? [asked.states[index]!] : []));
    const state = states[definitions.indexOf(main)]!;
    const config = toConfigView(main, { reveal: invocation.has('reveal') });
    const problems = loaded.problems.filter(({ server }) => server === name);
    const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
    const sandbox = sandboxText(main);
    const startsIn = startFolderOf(main, loaded);
    const columns = screenColumns(io.stdout);
    const text = [
      `${showLine(name)}:`,
      `  Scope: ${scopeHeading(main)}`,
      ...wrapLine(`  Status: ${statusText(main, state, { style })}`, columns, 4),
      ...detailLines(main, state).flatMap((line) => wrapHint(`    ${line}`, columns, 4)),
      ...Object.entries(config ?? {}).map(([field, value]) =>
        showLine(`  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
      ),
      ...(startsIn === undefined
        ? []
        : wrapLine(showLine(`  Starts in: ${startsInText(startsIn, loaded)}`), columns, 4)),
      ...(sandbox === undefined ? [] : [showLine(`  Sandbox: ${sandbox}`)]),
      ...(drift ? wrapLine(showLine(`  Differs from ${drift.file}: ${driftWords(drift)}`), columns, 4) : []),
      ...(offer && state.status !== 'connected' ? ['  As of the last time it answered:'] : []),
      ...(offer ? offerLines(offer).flatMap((line) => wrapLine(line, columns, 4)) : []),
      ...definitions.flatMap((server, index) =>
        server === main ? [] : [`  Also in ${scopeHeading(server)}: ${statusText(server, states[index]!)}`],
      ),
      ...farewell(main, isEditable(main.scope)),
    ].join('\n');
    return {
      data: {
        ...state,
        config,
        ...(startsIn !== undefined && { startsIn }),
        capabilities: offer?.capabilities ?? null,
        instructions: offer?.instructions ?? null,
        definitions: states,
        problems,
      },
      text,
      notes: [...asked.notes, ...problemNotes(problems, { invocation, io })],
      ...(asked.waited.kind === 'interrupted' && { exitCode: exitCodes.interrupted }),
    };
  },
};

/** Where its process, or its headersHelper, starts, and why it is not the working directory. */
function startsInText(folder: string, { trust }: LoadedConfig): string {
  return `${folder} (${trust.folder} is not trusted; plugboard trust starts it there)`;
}

/** How to be rid of it. */
function farewell({ name, scope, accountOf }: ConfiguredServer, isOwn: boolean): string[] {
  if (accountOf !== undefined) {
    return ['', `An account of ${showExact(accountOf)}. To forget it, run: plugboard logout ${showName(name)}`];
  }
  return isOwn ? ['', `To remove this server, run: ${showLine(scopedCommand('remove', name, scope))}`] : [];
}
