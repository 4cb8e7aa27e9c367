// What the pictures show: for each one the servers, the keys, and the text that says that the screen is complete.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const node = process.execPath;

/** Entries of servers on stdio, and of those behind `urls` (from `openRemoteServers`). */
export function toEntries(urls) {
  const local = (name) => ({ command: node, args: [join(here, 'local-servers.mjs'), name] });
  const notes = { command: node, args: [join(here, '../../demo/servers/notes.mjs')] };
  return {
    issues: local('issues'),
    files: local('files'),
    notes,
    weather: { type: 'http', url: urls.weather },
    builds: { type: 'sse', url: urls.builds },
    metrics: { type: 'ws', url: urls.metrics },
    wiki: { type: 'http', url: urls.wiki },
  };
}

/** What the model may call without a question. */
export const allow = ['mcp__issues__search_issues', 'mcp__builds__list_builds'];

/** The scripted model's turns, as an Anthropic API would send them. */
export const turns = [
  {
    blocks: [
      { type: 'text', text: 'I look at the issues and at the builds.' },
      call('toolu_1', 'mcp__issues__search_issues', { query: 'crash', state: 'open' }),
      call('toolu_2', 'mcp__builds__list_builds', { branch: 'main' }),
    ],
    usage: { input_tokens: 1210, output_tokens: 74 },
  },
  {
    blocks: [
      {
        type: 'text',
        text: [
          'Two open issues are about crashes:\n',
          '1. **#412**: a server restarts during a call. It has no fix yet.',
          '2. **#397**: an empty result. Build 2041 on `main` contains the fix and passed.\n',
          'You can close **#397**.',
        ].join('\n'),
      },
    ],
    usage: { input_tokens: 1408, output_tokens: 61 },
  },
  [
    { type: 'text', text: 'I change the limit in the file.' },
    call('toolu_3', 'mcp__files__edit_file', {
      path: 'src/limits.ts',
      old_string: '  connectMs: 30_000,\n  retries: 3,\n};',
      new_string: '  connectMs: 30_000,\n  retries: 5,\n};',
    }),
  ],
  [{ type: 'text', text: 'Done.' }],
];

function call(id, name, input) {
  return { type: 'tool_use', id, name, input };
}

const CONNECTED = /\b6 servers are connected/u;
const ASKED = /y\/s\/a\/n\/t/u;

/**
 * `play` leaves the screen as it is to be shown. `from`: the first row of the picture, found by its text; the rows
 * above it are cut off, and so are empty rows below the last one unless the scene fills its screen.
 */
export const scenes = [
  {
    name: 'session',
    leaveOut: ['wiki'],
    from: /^Servers:/u,
    async play(terminal) {
      await openSession(terminal);
      terminal.line('Which crashes are open, and which of them does main fix?');
      await terminal.untilMatches(/You can close #397\.[^]*\n>/u);
    },
  },
  {
    name: 'permission',
    leaveOut: ['wiki'],
    from: /^> Raise/u,
    turn: 3,
    async play(terminal) {
      await openSession(terminal);
      terminal.line('Raise the retries to 5.');
      await terminal.untilMatches(ASKED);
    },
  },
  {
    name: 'panel',
    rows: 15,
    isFull: true,
    async play(terminal) {
      await openSession(terminal);
      terminal.line('/mcp');
      await terminal.untilMatches(/^\s*\d+ MCP servers[^]*\? help/mu);
      terminal.press('Down');
      await terminal.untilMatches(/^> files/mu);
    },
  },
  {
    name: 'list',
    from: /^\$ plugboard/u,
    async play(terminal) {
      terminal.line('plugboard list');
      await terminal.untilMatches(/\n\$$/u);
    },
  },
  {
    name: 'doctor',
    from: /^\$ plugboard/u,
    leaveOut: ['wiki'],
    also: { search: { command: 'npx @acme/search', args: ['--index', 'docs'] } },
    async play(terminal) {
      terminal.line('plugboard doctor');
      await terminal.untilMatches(/\n\$$/u);
    },
  },
];

async function openSession(terminal) {
  terminal.line('plugboard');
  await terminal.untilMatches(CONNECTED);
}
