import * as actions from '../../actions/calls/read.js';
import { toVerb } from '../start/action-verb.js';

export const readVerb = toVerb(actions.read, {
  usage: 'SERVER URI [name=value]... | URL URI | URI -- COMMAND ARGS',
  completesRest: 'resource',
  takesServer: 'command',
  examples: [
    'plugboard read docs docs://guide',
    "plugboard read docs 'docs://page/{number}' number=7",
    'plugboard read images img://logo --output logo.png',
    'plugboard read demo://resource/static/document/startup.md -- npx -y @modelcontextprotocol/server-everything',
  ],
});
