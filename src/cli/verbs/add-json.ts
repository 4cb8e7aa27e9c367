import { HostError } from '../../base/errors.js';
import { openRun } from '../load.js';
import { addScopeOption, dryRunOption } from '../options.js';
import type { Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const addJson: Verb = {
  name: 'add-json',
  usage: 'NAME JSON|- [-s local|project|user]',
  summary: 'Write a server from its JSON entry (- is stdin)',
  options: [addScopeOption, dryRunOption],
  examples: [`plugboard add-json docs '{"type":"http","url":"https://mcp.example.com/mcp"}'`],
  async run(invocation, io) {
    const [name, given, ...more] = invocation.positionals;
    if (name === undefined || given === undefined || more.length > 0) {
      throw usageError('add-json takes a name and one JSON object', {
        hint: `plugboard add-json NAME '{"command":"..."}'`,
      });
    }
    const { parseDocument } = await import('../../config/document.js');
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
    const { toStored } = await import('../../config/target.js');
    const { addEntry } = await import('../add-entry.js');
    const context = await openRun(invocation, io);
    const entry = toStored(unwrap(reading.document.value));
    const { outcome, notes } = await addEntry({ invocation, io }, { name, entry, context });
    return { ...outcome, notes };
  },
};

/** What people paste most often is a whole file: with one server in it there is no doubt which one they mean. */
function unwrap(value: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  const servers = value['mcpServers'];
  if (typeof servers !== 'object' || servers === null) return value;
  const inner: unknown[] = Object.values(servers);
  if (inner.length === 1 && typeof inner[0] === 'object' && inner[0] !== null) return inner[0] as typeof value;
  throw usageError(`this is a whole file with ${inner.length} servers; add-json takes one`, {
    hint: 'Save it and run: plugboard import --file FILE, or give only the inner object of one server',
  });
}
