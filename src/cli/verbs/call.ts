import * as actions from '../../actions/calls/call.js';
import { toVerb } from '../start/action-verb.js';

export const callVerb = toVerb(actions.call, {
  usage: 'TOOL [ARGUMENT]... [--args JSON] [--force] [URL | -- COMMAND ARGS]',
  details: [
    'ARGUMENT is name=value, name:=json, name=@file, or - for a JSON object on stdin.',
    'TOOL may hold all of them, as plugboard tools shows it: \'add_note(text: "milk")\'',
  ],
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
