import * as cli from '../../actions/emit/emit-cli.js';
import * as ts from '../../actions/emit/emit-ts.js';
import { toVerb } from '../start/action-verb.js';

const face = {
  usage: '[--out FILE] [--force] SERVER | URL | -- COMMAND ARGS',
  takesServer: 'command',
  wordsBeforeCommand: 0,
} as const;

export const emitTsVerb = toVerb(ts.emitTs, {
  ...face,
  details: ['The client calls through Host of the package plugboard, which the project needs as a dependency.'],
  examples: [
    'plugboard emit-ts github --out src/github.ts',
    'plugboard emit-ts -- npx -y @modelcontextprotocol/server-memory',
  ],
});

export const emitCliVerb = toVerb(cli.emitCli, {
  ...face,
  details: ['The program is JavaScript for Node.js, and imports Host from the package plugboard.'],
  examples: [
    'plugboard emit-cli github --out github.mjs',
    'plugboard emit-cli https://mcp.example.com/mcp --out example.mjs',
  ],
});
