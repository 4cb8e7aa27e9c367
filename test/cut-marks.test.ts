import { expect, test } from 'vitest';
import { hostOfUrl } from '../src/auth/discovery/host-of.js';
import { keychainErrorText } from '../src/auth/store/keychain.js';
import { HostError } from '../src/base/errors.js';
import { itemRows } from '../src/cli/panel/item-rows.js';
import { forScreen, toRows } from '../src/cli/output/screen-text.js';
import type { Io } from '../src/cli/io.js';
import { offerLines, type Offer } from '../src/actions/servers/server-offer.js';
import { showWithoutModel, type HandOptions } from '../src/cli/session/show-without-model.js';
import { noteRows, resultRows } from '../src/cli/session/display/result-lines.js';
import { styleFor } from '../src/cli/output/style.js';
import { containerRisks } from '../src/config/risks/container-risks.js';
import { oddVariables } from '../src/config/risks/odd-variables.js';
import type { CallResult } from '../src/host/host-options.js';
import { toElicitation } from '../src/host/elicitation/to-question.js';
import { unfilled } from '../src/host/host-resources.js';
import { readPreAnswer } from '../src/model/hooks/hook-answer.js';
import { toHeadline } from '../src/model/view/model-view-news.js';
import { flattenRoot } from '../src/model/profiles/flatten-root.js';
import { toGeminiSchema } from '../src/model/profiles/gemini-schema.js';
import { References } from '../src/model/profiles/references.js';
import { Repairs, toPlace } from '../src/model/profiles/repairs.js';
import type { Message } from '../src/session/message.js';
import { noVersion } from '../src/wire/eras/versions.js';
import { toDefinition } from './profiles/scene.js';

// A reader must not take the beginning of a text for the whole: every text that is cut says so.

const style = styleFor({ isTerminal: false, write: () => {} } as unknown as Io['stdout'], { env: {}, noColor: true });
const look = { columns: 80, style };
const long = (length: number): string => 'x'.repeat(length);
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `n${at}`);
const result = (more: Partial<CallResult>): CallResult =>
  ({ outcome: 'ok', content: [], notes: [], saved: [], ...more }) as unknown as CallResult;

function thrown(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
}

function schemaRows(inputSchema: unknown): string {
  const definition = toDefinition('a', inputSchema);
  const tool = { name: 'a', title: undefined, isOurs: false };
  return itemRows({ kind: 'tool', tool, definition, decision: undefined } as never, {
    columns: 80,
    tokens: undefined,
  }).join('\n');
}

function geminiSaid(property: Record<string, unknown>): string {
  const repairs = new Repairs();
  const made = toGeminiSchema({ type: 'object', properties: { a: property } }, repairs);
  return JSON.stringify([made, repairs.list()]);
}

function formsOf(count: number, length = 1): string {
  const branch = (first: string): object => ({
    type: 'object',
    properties: Object.fromEntries([first, ...names(count - 1)].map((name) => [name.padEnd(length, 'y'), {}])),
  });
  const root = { type: 'object', oneOf: [branch('a'), branch('b')] } as const;
  const flat = flattenRoot(root, new References(root), new Repairs());
  return (flat.kind === 'object' && flat.forms) || 'no forms';
}

function shownByHand(size: number): string {
  const printed: string[] = [];
  const screen = {
    style,
    columns: 80,
    print: (text: string) => void printed.push(text),
  } as unknown as HandOptions['screen'];
  const message: Message = { role: 'user', parts: [{ kind: 'text', text: long(size) }] };
  showWithoutModel('/mcp__a__b', [message], { screen } as HandOptions);
  return printed.join('\n');
}

function secretsAsked(count: number): string {
  const properties = Object.fromEntries(names(count).map((name) => [`${name}_password`, { type: 'string' }]));
  return JSON.stringify(
    toElicitation({ server: 'a' }, { message: 'Hi', requestedSchema: { type: 'object', properties } }),
  );
}

function offered(more: Partial<Offer>): string {
  const nothing = { server: undefined, capabilities: undefined, instructions: undefined, resources: [], prompts: [] };
  return offerLines({ ...nothing, tools: [], ...more }).join('\n');
}

/** What is shown of a text or list that just fits and of a longer one, and the mark by which the latter says so. */
const cuts: readonly (readonly [string, (size: number) => string, fits: number, mark: string])[] = [
  ['a host', (size) => hostOfUrl(`https://${names(60).join('.').slice(0, size)}/`), 100, '…'],
  ['an error of the keychain', (size) => keychainErrorText(new Error(long(size))), 200, 'x…'],
  ['a mount of a container', (size) => containerRisks(['docker', 'run', '-v', `/${long(size)}:/a`]).join(), 119, 'x…'],
  [
    'the mounts of a container',
    (size) => containerRisks(['docker', 'run', ...names(size).flatMap((name) => ['-v', `/${name}:/a`])]).join(),
    8,
    ' and 1 more',
  ],
  ['a variable that is no number', (size) => oddVariables({ MCP_TIMEOUT: long(size) })[0]!.message, 40, 'x…"'],
  [
    'what a hook has decided',
    (size) => thrown(() => readPreAnswer({ hookSpecificOutput: { permissionDecision: long(size) } })),
    60,
    'x…"',
  ],
  ['a template of a resource', (size) => unfilled(long(size), ['a']).message, 300, 'x…"'],
  ['a place in a schema', (size) => toPlace([long(size)]), 120, 'x…'],
  ['the versions of a server', (size) => noVersion('db', names(size)).message, 10, ' and 1 more'],
  ['the headline of a change', (size) => toHeadline({ kind: 'removed', server: 'a', names: [long(size)] }), 235, '…'],
  [
    'the values of an enum for Gemini',
    (size) => geminiSaid({ type: 'integer', enum: names(size) }),
    20,
    ', and 1 more',
  ],
  ['a value of an enum for Gemini', (size) => geminiSaid({ type: 'integer', enum: [long(size)] }), 398, 'x…'],
  [
    'keywords that Gemini does not know',
    (size) => geminiSaid({ type: 'string', ...Object.fromEntries(names(size).map((name) => [name, 1])) }),
    20,
    ', and 1 more',
  ],
  ['a keyword that Gemini does not know', (size) => geminiSaid({ type: 'string', [long(size)]: 1 }), 300, 'x…'],
  ['the properties of a form', (size) => formsOf(size), 10, ' and 1 more'],
  ['a property of a form', (size) => formsOf(1, size), 49, '…'],
  [
    'a text for the screen',
    (size) => forScreen(long(size), { stdout: { isTerminal: true } } as Io),
    100_000,
    '\n… 1 more',
  ],
  ['the instructions of a server', (size) => offered({ instructions: long(size) }), 300, 'x…'],
  ['the tools of a server', (size) => offered({ tools: names(size) }), 30, ' and 1 more'],
  ['a prompt that is shown by hand', shownByHand, 50_000, '\n… 1 more characters'],
  ['secrets that a form asks for', secretsAsked, 5, ' and 1 more'],
  ['a row of a list', (size) => toRows([['a', long(size)]], 80).join(), 75, 'x…'],
  ['the notes of a result', (size) => noteRows(result({ notes: names(size) }), look).join(), 5, '… and 1 more notes'],
  [
    'the message of an error',
    (size) => {
      const error = new HostError(
        'start-failed',
        names(size)
          .join(' ')
          .replaceAll(/\S+/gu, () => long(77)),
      );
      return resultRows(result({ outcome: 'error', error }), look).join('\n');
    },
    6,
    '\n  …',
  ],
  ['a schema in the panel', (size) => schemaRows({ type: 'object', required: names(size) }), 595, '… more follows'],
];

test.each(cuts)('of %s all is shown where it fits, and a mark where it is cut', (_, show, fits, mark) => {
  expect(show(fits)).not.toContain(mark);
  expect(show(fits + 1)).toContain(mark);
});
