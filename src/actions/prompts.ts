import { countOf, showLine } from '../model/show.js';
import type { HostPrompt } from '../host/host-prompts.js';
import { listAction } from './listing.js';

export const prompts = listAction({
  name: 'prompts',
  summary: 'Show the prompts of every server, of one, or of one that is configured nowhere',
  lists: ['prompts'],
  async show(host, servers) {
    const listed = await host.prompts();
    if (!listed.ok) throw listed.error;
    const byServer = servers.map(({ name }) => ({
      server: name,
      found: listed.prompts.filter(({ server }) => server === name),
    }));
    return {
      json: { prompts: listed.prompts.filter(({ server }) => servers.some(({ name }) => name === server)).map(toRow) },
      tables: byServer
        .filter(({ found }) => found.length > 0)
        .map(({ server, found }) => ({
          kind: 'table',
          heading: showLine(`${server}: ${countOf(found.length, 'prompt')}`),
          rows: found.map(describe),
        })),
    };
  },
});

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

function describe(prompt: HostPrompt): readonly [command: string, about: string] {
  const taken = prompt.arguments.slice(0, 8).map(({ name, required }) => (required ? name : `[${name}]`));
  const said = prompt.description.trim().split('\n')[0] || prompt.title || '';
  if (prompt.arguments.length > taken.length) taken.push('…');
  return [showLine([prompt.command, ...taken].join(' ')), showLine(said)];
}
