import type { HostPrompt } from '../../host/host-prompts.js';
import { adHocOptions } from '../ad-hoc.js';
import { toRows } from '../screen-text.js';
import { countOf, showLine } from '../../model/show.js';
import { screenColumns } from '../style.js';
import type { Verb } from '../verb.js';

export const prompts: Verb = {
  name: 'prompts',
  usage: '[SERVER | URL | -- COMMAND ARGS]',
  summary: 'Show the prompts of every server, of one, or of one that is configured nowhere',
  takesCommand: true,
  wordsBeforeCommand: 0,
  options: adHocOptions,
  completes: 'server',
  examples: [
    'plugboard prompts',
    'plugboard prompts github --json',
    'plugboard prompts -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const { withListing } = await import('../with-servers.js');
    return withListing({ given, io, lists: ['prompts'] }, async ({ run, servers }) => {
      const listed = await run.host.prompts();
      if (!listed.ok) throw listed.error;
      const names = servers.map(({ name }) => name);
      const found = listed.prompts.filter(({ server }) => names.includes(server));
      return {
        data: { prompts: found.map(toRow) },
        text: names
          .map((name) =>
            describe(
              name,
              found.filter(({ server }) => server === name),
              screenColumns(io.stdout),
            ),
          )
          .filter((text) => text !== '')
          .join('\n\n'),
      };
    });
  },
};

function toRow({ command, server, name, title, description, arguments: taken }: HostPrompt): object {
  return {
    command,
    server,
    name,
    title: title ?? null,
    description,
    arguments: taken.map((one) => ({ ...one, title: one.title ?? null })),
  };
}

function describe(server: string, found: readonly HostPrompt[], columns: number): string {
  if (found.length === 0) return '';
  const rows = found.map((prompt) => {
    const taken = prompt.arguments.slice(0, 8).map(({ name, required }) => (required ? name : `[${name}]`));
    const said = prompt.description.trim().split('\n')[0] || prompt.title || '';
    if (prompt.arguments.length > taken.length) taken.push('…');
    return [showLine([prompt.command, ...taken].join(' ')), showLine(said)] as const;
  });
  return [showLine(`${server}: ${countOf(found.length, 'prompt')}`), ...toRows(rows, columns)].join('\n');
}
