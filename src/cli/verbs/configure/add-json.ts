import * as actions from '../../../actions/servers/add.js';
import { toVerb } from '../../start/action-verb.js';
import { addScopeOption, dryRunOption, scopeOf } from '../../input/options.js';
import { usageError } from '../../input/usage-error.js';

export const addJsonVerb = toVerb(actions.addJson, {
  usage: 'NAME JSON|- [-s local|project|user]',
  options: [addScopeOption, dryRunOption],
  examples: [`plugboard add-json docs '{"type":"http","url":"https://mcp.example.com/mcp"}'`],
  async parse({ invocation, io }) {
    const [server, given, ...more] = invocation.positionals;
    if (server === undefined || given === undefined || more.length > 0) {
      throw usageError('add-json takes a name and one JSON object', {
        hint: `plugboard add-json NAME '{"command":"..."}'`,
      });
    }
    const json = given === '-' ? await io.stdin.read() : given;
    return { server, json, scope: scopeOf(invocation), dryRun: invocation.has('dry-run') };
  },
});
