import { permissionOptions } from '../input/session-flags.js';
import type { Verb } from '../verb.js';

export const serveVerb: Verb = {
  name: 'serve',
  usage: '[--http [HOST:]PORT]',
  summary: 'Serve your servers to other programs, as one MCP server: on stdio, or over HTTP',
  options: [
    { name: 'http', value: '[HOST:]PORT', summary: 'listen there, on this machine only; port 0 is a free one' },
    {
      name: 'auth',
      value: 'HOW',
      choices: ['none'],
      summary: 'none: clients over HTTP need no key',
    },
    {
      name: 'path',
      value: 'PATH',
      summary: 'on stdio: what to serve, such as /mcp/github or /mcp/@reading?tools=search',
    },
    {
      name: 'names',
      value: 'HOW',
      choices: ['prefixed', 'plain'],
      summary: 'plain: without the name of the server, where that is unique',
    },
    { name: 'public-url', value: 'URL', summary: 'where clients reach this through a proxy' },
    { name: 'allow-host', value: 'HOST', repeatable: true, summary: 'answer requests to this name as well' },
    { name: 'allow-origin', value: 'ORIGIN', repeatable: true, summary: 'answer web pages of this origin' },
    { name: 'sse', summary: 'also serve clients of 2024, at /sse' },
    {
      name: 'secret-file',
      value: 'FILE',
      summary: 'the secret for sessions, and the next one while they change: a line each',
    },
    {
      name: 'log-level',
      value: 'LEVEL',
      choices: ['error', 'warning', 'info'],
      summary: 'info: a line on stderr for each request',
    },
    ...permissionOptions,
  ],
  details: [
    'Where a call needs a yes, the user of the client is asked, if the client can ask. Otherwise it is denied, and the answer names the rule that would allow it.',
    'The addresses are /mcp for all servers, /mcp/SERVER for one, /mcp/@PRESET for a preset of settings.gateway, each with ?tools=search or ?tools=auto where the list would be too long.',
  ],
  examples: [
    'plugboard serve',
    'plugboard serve --http 8931',
    'plugboard serve --http 8931 --allow mcp__github --allow mcp__docs',
  ],
  async run(invocation, io) {
    return (await import('../serve/run-serve.js')).runServe(invocation, io);
  },
};
