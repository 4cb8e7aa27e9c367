import { HostError } from '../../base/errors.js';
import type { EditableScope } from '../../config/manage.js';
import { addedNotes, openRun } from '../load.js';
import { addScopeOption, dryRunOption } from '../options.js';
import type { Verb } from '../verb.js';

export const addJson: Verb = {
  name: 'add-json',
  usage: 'NAME JSON|- [-s local|project|user]',
  summary: 'Write a server from its JSON entry; - reads it from stdin',
  options: [addScopeOption, dryRunOption],
  examples: [`plugboard add-json docs '{"type":"http","url":"https://mcp.example.com/mcp"}'`],
  async run(invocation, io) {
    const [name, given, ...more] = invocation.positionals;
    if (name === undefined || given === undefined || more.length > 0) {
      throw new HostError('usage', 'error: add-json takes a name and one JSON object', {
        hint: `plugboard add-json NAME '{"command":"..."}'`,
      });
    }
    const { addServer } = await import('../../config/manage.js');
    const { parseDocument } = await import('../../config/document.js');
    const { editOutcome } = await import('../edit-outcome.js');
    const reading = await parseDocument(given === '-' ? await io.stdin.read() : given, 'JSON');
    if (reading.kind !== 'document') {
      const problem = reading.kind === 'broken' ? reading.problem : undefined;
      throw new HostError(
        'config-invalid',
        `Invalid configuration for "${name}": ${problem?.message ?? 'nothing was given'}`,
        {
          hint: `Expected an object such as {"command":"npx","args":["-y","server"]}`,
        },
      );
    }
    const entry = toStored(reading.document.value);
    const scope = (invocation.value('scope') ?? 'local') as EditableScope;
    const context = await openRun(invocation, io);
    const edit = await addServer(context, {
      name,
      entry,
      scope,
      dryRun: invocation.has('dry-run'),
    });
    const label = typeof entry['type'] === 'string' ? entry['type'] : 'stdio';
    const done = `Added ${label === 'stdio' ? label : label.toUpperCase()} MCP server ${name} to ${scope} config`;
    const outcome = editOutcome({ invocation, context, server: name, scope, edits: [edit], done });
    return { ...outcome, notes: await addedNotes({ server: name, file: edit.file }, { invocation, io }) };
  },
};

/** A URL alone means http, and an alias is stored as the word that every host knows. Everything else stays as given. */
function toStored(entry: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  const { type, ...rest } = entry;
  if (type === undefined && Object.hasOwn(entry, 'url')) {
    // With a command beside the URL nobody knows what was meant: the check of the entry says so.
    return Object.hasOwn(entry, 'command') ? entry : { type: 'http', ...rest };
  }
  if (type === undefined) return { type: 'stdio', ...rest };
  return type === 'streamable-http' || type === 'streamableHttp' ? { type: 'http', ...rest } : entry;
}
