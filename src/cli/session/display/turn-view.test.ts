import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/any-character.js';
import { HostError } from '../../../base/errors.js';
import { NO_USAGE } from '../../../session/model-port.js';
import type { ContentBlock } from '../../../model/content/content-block.js';
import type { SessionEvent } from '../../../session/session-event.js';
import { textWidth } from '../../terminal/text/text-width.js';
import { callEvent, DONE, message, resultEvent, said, stage, text } from './turn-fixtures.js';

test('words come as Markdown: what is finished stays, the rest stands at the foot', () => {
  const { screen, view, play, wait } = stage();
  play(text('# Title\n\nSome **wor'));
  expect([screen.printed, wait(100)]).toEqual([['# Title'], ['', 'Some **wor']]);
  play(text('ds** here.\n\nLast'), message);
  view.end(DONE);
  expect(screen.printed).toEqual(['# Title', '', 'Some **words** here.', '', 'Last']);
  expect([screen.standing, screen.draw]).toEqual([[], undefined]);
});

test('a call stands at the foot while it runs, and leaves a line and the first of its text', () => {
  const { screen, view, play, wait } = stage();
  play(text('Let me look.'), message, callEvent('1', 'search_issues', { query: 'crash', limit: 10 }));
  expect(wait(100)).toEqual(['⠙ github.search_issues(query: "crash", limit: 10)']);
  play({ kind: 'progress', id: '1', name: 'x', progress: { progress: 2, total: 4, message: 'page \u001B[2J2' } });
  expect(wait(3000)).toEqual(['⠙ github.search_issues(query: "crash", …  3 s  ██████████░░░░░░░░░░ 50 %  page 2']);
  play(resultEvent('1', 'search_issues', { content: said(`one\n\n${'two '.repeat(30)}\nthree\nfour\nfive\nsix`) }));
  play(text('Done.'), message);
  view.end(DONE);
  expect(screen.printed).toEqual([
    'Let me look.',
    '',
    '✔ github.search_issues(query: "crash", limit: 10)  ok, 312 ms',
    '  │ one',
    '  │ two two two two two two two two two two two two two two two two two two two',
    '  │ two two two two two two two two two two two',
    '  │ three',
    '  │ … +3 lines',
    '',
    'Done.',
  ]);
});

test('that a result is long is told, also of one that a sub-agent got', () => {
  const { screen, view, play } = stage();
  const notes = ['The result is long: about 12,345 tokens'];
  play(callEvent('1', 'dump'), resultEvent('1', 'dump', { notes }), callEvent('2', 'Agent'));
  play({ kind: 'agent', callId: '2', agent: 'digger', event: callEvent('3', 'dump') });
  play({ kind: 'agent', callId: '2', agent: 'digger', event: resultEvent('3', 'dump', { notes }) });
  view.end(DONE);
  expect(screen.printed.filter((row) => row.includes('12,345'))).toEqual([
    '  Note: The result is long: about 12,345 tokens',
    '    Note: The result is long: about 12,345 tokens',
  ]);
});

test('calls at the same time have their own rows, and end in their own order', () => {
  const { screen, play, wait } = stage();
  play(callEvent('1', 'a'), callEvent('2', 'b'), ...Array.from({ length: 20 }, (_, at) => callEvent(`x${at}`, 'x')));
  expect(wait(100)).toEqual([
    ...['a', 'b', 'x', 'x', 'x', 'x', 'x', 'x'].map((tool) => `⠙ github.${tool}()`),
    '  … and 14 more calls',
  ]);
  play(
    resultEvent('2', 'b', { ms: 1650 }),
    resultEvent('1', 'a', { outcome: 'error', content: said('no such thing') }),
  );
  expect(screen.printed).toEqual(['✔ github.b()  ok, 1.6 s', '✘ github.a()  failed, 312 ms', '  │ no such thing']);
});

test('where to sign in is shown whole, and of a search what was found', () => {
  const { screen, play } = stage({ columns: 40 });
  const url = `https://example.com/auth?state=${'x'.repeat(60)}`;
  play(callEvent('1', 'authenticate'), resultEvent('1', 'authenticate', { content: [], structuredContent: { url } }));
  const found = said('{"name":"mcp__github__drop","description":"Drops"}\n{"name":"mcp__github__add"}');
  const search = { server: undefined, tool: undefined, name: 'ToolSearch', calledAs: 'ToolSearch', content: found };
  play(callEvent('2', 'find'), resultEvent('2', 'find', search));
  expect(screen.printed.slice(1)).toEqual([
    '  The whole address:',
    url,
    expect.stringMatching(/^✔ ToolSearch\(/u),
    '  │ github.drop, github.add',
  ]);
});

test('pictures, files and what is for the user alone are told in words', () => {
  const { screen, play } = stage();
  play(
    callEvent('1', 'shot'),
    resultEvent('1', 'shot', {
      content: [
        { type: 'image', mimeType: 'image/png', data: 'A'.repeat(16_000) },
        { type: 'resource_link', uri: 'file:///a\u202E' },
        { type: 'resource', resource: { uri: 'db://x', text: 'row' } },
        ...said(
          '[The text of this result is too large to be shown whole: 9 bytes]\nTo read on, call Read\nIt begins:\nfirst\n…',
        ),
      ],
      forUser: said('secret'),
      saved: [
        { path: '/state/results/a file.json', bytes: 1_234_567, mimeType: 'application/json' },
        { path: '/state/results/b.png', bytes: 12_000, mimeType: 'image/png' },
      ],
      notes: ['2 hidden characters were removed'],
    }),
  );
  expect(screen.printed).toEqual([
    '✔ github.shot()  ok, 312 ms',
    '  │ [image png, 12 kB]',
    '  │ [resource file:///a]',
    '  │ [resource db://x]',
    '  │ row',
    '  │ …',
    '  For you, not for the model:',
    '  │ secret',
    "  Whole result (application/json, 1.2 MB): less '/state/results/a file.json'",
    '  Saved (png, 12 kB): /state/results/b.png',
    '  Note: 2 hidden characters were removed',
  ]);
});

test.each([
  [
    {
      error: new HostError('denied', 'The rule mcp__github__drop in settings.json denies it', {
        hint: 'Look at: plugboard permissions',
      }),
    },
    [
      '✘ github.drop()  not allowed, 12 ms',
      '  The rule mcp__github__drop in settings.json denies it',
      '  Look at: /permissions',
    ],
  ],
  [
    {
      error: new HostError('unauthorized', 'Server "github" wants you to sign in', { hint: 'plugboard login github' }),
    },
    [
      '✘ github.drop()  needs you to sign in, 12 ms',
      '  Server "github" wants you to sign in',
      '  Sign in: /mcp login github',
    ],
  ],
  [{ error: new HostError('cancelled', 'The call was cancelled') }, ['✘ github.drop()  stopped, 12 ms']],
  [
    { outcome: 'unknown', error: new HostError('connection-closed', 'Server "github" died during the call') },
    [
      '? github.drop()  outcome unknown, 12 ms',
      '  Server "github" died during the call',
      '  The call may have been executed: check before you retry it.',
    ],
  ],
  // The hint already says it: nothing is added.
  [
    { outcome: 'unknown', error: new HostError('connection-closed', 'Nobody knows', { hint: 'Find out' }) },
    ['? github.drop()  outcome unknown, 12 ms', '  Nobody knows', '  Find out'],
  ],
] as const)('a call that got no answer says why and what to do: %#', (more, rows) => {
  const { screen, play } = stage();
  play(callEvent('1', 'drop'), resultEvent('1', 'drop', { outcome: 'error', ms: 5012, askedMs: 5000, ...more }));
  expect(screen.printed).toEqual(rows);
});

test('thoughts are a row at the foot, and are shown to whoever wants them', () => {
  const quiet = stage();
  quiet.play({ kind: 'reasoning', text: 'Hm.\nWell' });
  expect([quiet.wait(100), quiet.wait(2000)]).toEqual([['⠙ thinking…'], ['⠙ thinking… 2 s']]);
  quiet.play({ kind: 'writing-call', id: '1', name: 'mcp__github__get' });
  expect([quiet.wait(100), quiet.screen.printed]).toEqual([['⠹ writing a call of github.get…'], []]);

  const loud = stage({ isVerbose: true });
  loud.play({ kind: 'reasoning', text: 'Hm.\n\nWe' });
  expect([loud.screen.printed, loud.wait(100)]).toEqual([['  Hm.'], ['  We', '⠙ thinking…']]);
  loud.play({ kind: 'reasoning', text: 'll.' }, text('Yes.'), message);
  loud.view.end({ ...DONE, usage: { input: 12_345, output: 56, cacheRead: 11_000, cacheWrite: 0 } });
  expect(loud.screen.printed).toEqual([
    '  Hm.',
    '  Well.',
    '',
    'Yes.',
    '',
    '12.3k tokens in (11k cached), 56 out, 100 ms',
  ]);
});

function agent(event: SessionEvent): SessionEvent {
  return { kind: 'agent', callId: '1', agent: 'scout', event };
}

test('a sub-agent shows its calls and how far it is, and not what it says', () => {
  const { screen, play, wait } = stage();
  play({ kind: 'call', id: '1', name: 'Agent', input: { description: 'Find it', prompt: 'All of it' } });
  play(
    agent(text('I will look')),
    agent({ kind: 'message', parts: [], usage: { ...NO_USAGE, input: 1500, output: 30 } }),
  );
  play(agent(callEvent('1', 'search', { q: 'x' })), agent(callEvent('2', 'get')));
  expect(wait(100)).toEqual([
    '⠙ Agent(description: "Find it", prompt: "All of it")',
    '  └ scout: 2 calls, 1.53k tokens, github.get',
  ]);
  play(
    agent(resultEvent('1', 'search', { content: said('hidden') })),
    resultEvent('1', 'x', { name: 'Agent', calledAs: 'Agent', server: undefined, tool: undefined }),
  );
  play(agent(text('too late')));
  expect(screen.printed).toEqual([
    '  scout ✔ github.search(q: "x")  ok, 312 ms',
    '✔ Agent(description: "Find it", prompt: "All of it")  ok, 312 ms',
  ]);
});

test('what the provider runs itself says so, and what it did not finish does not stay', () => {
  const { screen, play, wait } = stage();
  play({ kind: 'provider-call', id: 'p', name: 'web_search', input: { query: 'mcp' } });
  expect(wait(100)).toEqual(['⠙ web_search(query: "mcp")  run by Anthropic']);
  play({ kind: 'provider-result', id: 'p', name: 'web_search', result: [], isError: false });
  play({ kind: 'provider-call', id: 'q', name: 'web_search', input: {} }, message);
  expect(screen.printed).toEqual(['✔ web_search(query: "mcp")  ok, run by Anthropic']);
  expect(wait(1000)).toEqual(['⠙ working… 1 s']);
});

test('a call by name is shown as the call that is meant', () => {
  const { screen, play } = stage();
  const input = { name: 'mcp__github__get', arguments: { id: 5 } };
  play({ kind: 'call', id: '1', name: 'CallMcpTool', input }, resultEvent('1', 'get', { calledAs: 'CallMcpTool' }));
  expect(screen.printed).toEqual(['✔ github.get(id: 5)  ok, 312 ms']);
});

test('news and waiting are told in a row each', () => {
  const { screen, play, wait } = stage();
  const lines = Array.from({ length: 6 }, (_, at) => `- Server "s${at}" is gone\n  with more`);
  play({ kind: 'news', text: `Head\n${lines.join('\n')}` });
  play({ kind: 'retry', attempt: 1, afterMs: 4000, reason: 'HTTP 529' });
  expect(wait(100)).toEqual(['⠙ Anthropic is overloaded (HTTP 529), trying again in 4 s (2 of 4)']);
  expect(wait(1500)).toEqual(['⠦ Anthropic is overloaded (HTTP 529), trying again in 3 s (2 of 4)']);
  expect(screen.printed).toEqual([...[0, 1, 2, 3].map((at) => `· Server "s${at}" is gone`), '· and 2 more']);
});

test('what a server asked the model is told in a row, with its tokens or why there are none', () => {
  const { screen, play, wait } = stage();
  const usage = { ...NO_USAGE, input: 1_204, output: 80 };
  const ended = { kind: 'sampling', phase: 'ended', server: 'do\u001b[31mcs', usage: NO_USAGE } as const;
  play({ kind: 'sampling', phase: 'began', server: 'docs' });
  play({ ...ended, outcome: 'ok', usage }, { ...ended, outcome: 'failed' }, { ...ended, outcome: 'cancelled' });
  wait(100);
  expect(screen.printed).toEqual([
    '· docs asked the model (1.2k tokens in, 80 out)',
    '· docs asked the model (no answer)',
    '· docs asked the model (cancelled)',
  ]);
});

const failure = new HostError('model-failed', 'Anthropic answered HTTP 401', { hint: 'Check ANTHROPIC_API_KEY' });

test.each([
  [{ kind: 'cancelled', isSent: true }, ['Hello', '', 'Stopped.']],
  [
    { kind: 'failed', error: failure, isSent: false },
    ['Hello', '', 'error: Anthropic answered HTTP 401', '  → Check ANTHROPIC_API_KEY'],
  ],
  [
    { kind: 'max-turns', turns: 7 },
    ['Hello', '', 'Stopped after 7 turns, the limit. Say "go on" to allow as many again.'],
  ],
  [
    { kind: 'length' },
    ['Hello', '', 'The answer is cut here: the model reached its output limit. Say "go on" for the', '  rest.'],
  ],
  [
    { kind: 'refused' },
    [
      'Hello',
      '',
      'The provider of the model refused to answer. Rephrase your message, or try',
      '  another model: /model',
    ],
  ],
  [
    { kind: 'done', turns: 2, usage: { input: 2_000_000, output: 999, cacheRead: 0, cacheWrite: 0 } },
    ['Hello', '', '2M tokens in, 999 out, 0 ms'],
  ],
] as const)('a turn that ends with $kind says so', (end, rows) => {
  const { screen, view, play } = stage();
  play(text('Hello'), callEvent('1', 'never_ends'));
  view.end({ ...DONE, ...end });
  play(text('too late'));
  expect(screen.printed).toEqual(rows);
  expect(screen.standing).toEqual([]);
});

test('a screen that cannot be drawn on gets every line once', () => {
  const { screen, view, play } = stage({ isPlain: true });
  view.begin();
  play(text('Look.\n\nNow'), { kind: 'retry', attempt: 1, afterMs: 900, reason: 'HTTP 500' });
  play(callEvent('1', 'get', { id: 1 }), resultEvent('1', 'get'));
  view.end(DONE);
  expect(screen.printed).toEqual([
    'Look.',
    '',
    'Anthropic did not answer (HTTP 500), trying again in 1 s (2 of 4)',
    '',
    'Now',
    '',
    'Calling github.get(id: 1)',
    '✔ github.get(id: 1)  ok, 312 ms',
  ]);
  expect([screen.shows, screen.draw]).toEqual([2, undefined]);
});

const LONG = {
  path: '/a/very/long/path/to/a/file.ts',
  text: 'line one\nline two \u001B[31m日本語日本語日本語日本語日本語',
  count: 12,
  list: [1, 2, 3],
};

test.each([
  [40, ['✔ github.edit(path: "/a/ver…  ok, 312 ms', '  │ fine']],
  [80, ['✔ github.edit(path: "/a/very/…, text: "line one…, count: 12, list: …  ok, 312 ms', '  │ fine']],
  [
    120,
    [
      '✔ github.edit(path: "/a/very/long/pat…, text: "line one\\nline t…, count: 12, list: [1, 2, 3])  ok, 312 ms',
      '  │ fine',
    ],
  ],
])('on a screen of %i columns every argument has its share', (columns, rows) => {
  for (const noColor of [true, false]) {
    const { screen, play } = stage({ columns, noColor });
    play(callEvent('1', 'edit', LONG), resultEvent('1', 'edit', { content: said('fine') }));
    expect(screen.printed.map((row) => stripVTControlCharacters(row))).toEqual(rows);
  }
});

test('nothing that anybody says is obeyed by the terminal, or wider than the screen', () => {
  const words = fc.string({ unit: anyCharacter, maxLength: 60 });
  const anything = fc.oneof(
    words,
    fc.constantFrom('\u001B[2J\u001B]0;x\u0007', 'a\nb\r\nc', '\u202E', '日本'.repeat(50)),
  );
  const events = fc.oneof(
    anything.map(text),
    anything.map((reason): SessionEvent => ({ kind: 'retry', attempt: 1, afterMs: 10, reason })),
    anything.map((news): SessionEvent => ({ kind: 'news', text: `x\n- ${news}` })),
    anything.map((thought): SessionEvent => ({ kind: 'reasoning', text: thought })),
    fc
      .tuple(anything, anything)
      .map(([name, value]): SessionEvent => ({ kind: 'call', id: '1', name, input: { [name]: value, value } })),
    fc.tuple(anything, fc.double()).map(([words_, progress]): SessionEvent => ({
      kind: 'progress',
      id: '1',
      name: 'x',
      progress: { progress, total: 3, message: words_ },
    })),
    fc.tuple(anything, anything).map(([a, b]) =>
      resultEvent('1', a, {
        server: b,
        content: [...said(a), { type: b, mimeType: a, data: b, uri: a } as unknown as ContentBlock],
        notes: [a],
      }),
    ),
    anything.map((a) => resultEvent('1', 'x', { outcome: 'error', error: new HostError('denied', a, { hint: a }) })),
    anything.map((a): SessionEvent => ({ kind: 'agent', callId: '1', agent: a, event: callEvent('2', a) })),
    anything.map((a): SessionEvent => ({ kind: 'agent', callId: '1', agent: a, event: resultEvent('2', a) })),
  );
  fc.assert(
    fc.property(fc.array(events, { maxLength: 12 }), fc.constantFrom(40, 80), fc.boolean(), (all, columns, isPlain) => {
      const { screen, view, play, wait } = stage({ columns, isPlain, isVerbose: true });
      const rows: string[] = [];
      for (const event of all) {
        play(event);
        rows.push(...wait(50));
      }
      view.end(DONE);
      rows.push(...screen.printed);
      expect(rows.join('')).not.toMatch(/[^\P{Cc}\t]|[\u202A-\u202E\u2066-\u2069]/u);
      const prose = rows.filter((row) => !/^```|^ {4}|:\/\//u.test(row));
      expect(prose.filter((row) => textWidth(row) > columns && !row.includes('\t'))).toEqual([]);
    }),
  );
});

test('ten thousand events in a moment are drawn a few times', () => {
  const { screen, view, play, wait } = stage();
  play(callEvent('1', 'work'));
  for (let at = 0; at < 10_000; at++) {
    play(
      at % 2 === 0
        ? text('words and *more* of them ')
        : { kind: 'progress', id: '1', name: 'x', progress: { progress: at } },
    );
    if (at % 100 === 0) wait(10);
  }
  view.end(DONE);
  expect(screen.shows).toBeLessThan(2 * 130);
});
