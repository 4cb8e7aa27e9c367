import * as actions from '../../actions/calls/call.js';
import { toVerb } from '../start/action-verb.js';

export const callVerb = toVerb(actions.call, {
  usage:
    "TOOL [name=value | name:=json | name=@file | -]... | 'TOOL(name: value)' [--args JSON] [--force] [URL | -- COMMAND ARGS]",
  completes: 'tool',
  completesRest: 'argument',
  takesServer: 'command',
  examples: [
    'plugboard call github.search_issues query=crash',
    'plugboard call mcp__github__get_issue number:=12 --json',
    `plugboard call 'notes.add_note(text: "milk", tags: ["home"])'`,
    'plugboard call notes.add_note - < note.json',
    'plugboard call echo message=hi -- npx -y @modelcontextprotocol/server-everything',
  ],
  problems: (all) => all.filter(({ code }) => code === 'odd-variable'),
});
