import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import { toHeaderValue } from '../../model/text/header-value.js';
import { compareHeaders } from './param-headers.js';

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const marked = [
  { header: 'Region', path: ['region'] },
  { header: 'Count', path: ['deep', 'count'] },
];
const base64 = (text: string | Buffer): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

interface Case {
  readonly method?: string;
  readonly params?: JsonObject;
  /** Replace those of a right request; undefined leaves one out. */
  readonly headers?: Record<string, string | undefined>;
  readonly more?: readonly string[];
}

const compare = ({ method = 'tools/call', params = { name: 'run', arguments: {} }, headers = {}, more = [] }: Case) => {
  const own = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': 'run', ...headers };
  const rawHeaders = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const found = compareHeaders({
    rawHeaders: [...rawHeaders, ...more],
    method,
    params: { _meta: meta, ...params },
    marked,
  });
  return found && `${found.code} ${found.message}`;
};
const call = (args: unknown, headers: Record<string, string> = {}): Case => ({
  params: { name: 'run', arguments: args },
  headers,
});

test.each<[string, Case]>([
  ['a right one', {}],
  ['a name in base64', { headers: { 'Mcp-Name': base64('run') } }],
  ['names of headers in another case', { headers: { 'Mcp-Name': undefined }, more: ['MCP-NAME', 'run'] }],
  ['a name that is not ASCII', { params: { name: 'läuft\n' }, headers: { 'Mcp-Name': toHeaderValue('läuft\n') } }],
  [
    'a name like an encoded one',
    { params: { name: base64('x') }, headers: { 'Mcp-Name': toHeaderValue(base64('x')) } },
  ],
  ['an empty name', { params: { name: '' }, headers: { 'Mcp-Name': '=?base64??=' } }],
  ['a resource', { method: 'resources/read', params: { uri: 'a://b c' }, headers: { 'Mcp-Name': 'a://b c' } }],
  ['a list', { method: 'tools/list', params: {}, headers: { 'Mcp-Name': undefined } }],
  ['a task with its name', { method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': 't' } }],
  ['a task without one', { method: 'tasks/get', params: { taskId: 't' }, headers: { 'Mcp-Name': undefined } }],
  ['an argument', call({ region: 'eu' }, { 'mcp-param-REGION': 'eu' })],
  ['an argument in base64', call({ region: ' ü\r\n' }, { 'Mcp-Param-Region': toHeaderValue(' ü\r\n') })],
  ['an argument that is null', call({ region: null, deep: {} })],
  ['a number', call({ deep: { count: 42 } }, { 'Mcp-Param-Count': '42' })],
  ['a number written in another way', call({ deep: { count: 42 } }, { 'Mcp-Param-Count': '42.0' })],
  ['a yes', call({ deep: { count: true } }, { 'Mcp-Param-Count': 'true' })],
  ['a header that the tool does not mark', call({}, { 'Mcp-Param-Other': 'x' })],
  ['arguments that are no object', call('x')],
  ['headers of arguments where no tool is called', { method: 'ping', more: ['Mcp-Param-Region', 'x'] }],
])('lets %s pass', (_, one) => expect(compare(one)).toBeUndefined());

test.each<[string, Case, string]>([
  ['no version', { headers: { 'MCP-Protocol-Version': undefined } }, 'the header MCP-Protocol-Version is missing'],
  [
    'another version',
    { headers: { 'MCP-Protocol-Version': '2025-11-25' } },
    "says '2025-11-25', the body says '2026-07-28'",
  ],
  ['no version in the body', { params: { name: 'run', _meta: {} } }, "says '2026-07-28', the body has none"],
  ['no method', { headers: { 'Mcp-Method': undefined } }, 'the header Mcp-Method is missing'],
  ['another method', { headers: { 'Mcp-Method': 'tools/list' } }, "says 'tools/list', the body says 'tools/call'"],
  ['a method in another case', { headers: { 'Mcp-Method': 'Tools/Call' } }, "says 'Tools/Call'"],
  ['no name', { headers: { 'Mcp-Name': undefined } }, 'the header Mcp-Name is missing'],
  ['another name', { headers: { 'Mcp-Name': 'cheap' } }, "Mcp-Name says 'cheap', the body says 'run'"],
  ['another name in base64', { headers: { 'Mcp-Name': base64('cheap') } }, "Mcp-Name says 'cheap'"],
  ['a name in another case', { headers: { 'Mcp-Name': 'RUN' } }, "Mcp-Name says 'RUN'"],
  ['a name that is no text', { params: { name: 7 }, headers: { 'Mcp-Name': '8' } }, "Mcp-Name says '8'"],
  ['a number for a name', { params: { name: 7 }, headers: { 'Mcp-Name': '7' } }, 'Mcp-Name'],
  ['no name in the body', { params: {}, headers: { 'Mcp-Name': 'run' } }, 'the body has none'],
  [
    'the marker in another case',
    { headers: { 'Mcp-Name': base64('run').replace('base64', 'BASE64') } },
    'Mcp-Name says',
  ],
  ['what is no base64', { headers: { 'Mcp-Name': '=?base64?cn!u?=' } }, 'Mcp-Name is not valid'],
  ['base64 that is cut', { headers: { 'Mcp-Name': '=?base64?cnV?=' } }, 'Mcp-Name is not valid'],
  ['base64 of no text', { headers: { 'Mcp-Name': base64(Buffer.from([0xff])) } }, 'Mcp-Name is not valid'],
  ['raw bytes', { params: { name: 'é' }, headers: { 'Mcp-Name': 'é' } }, 'Mcp-Name is not valid'],
  ['another task', { method: 'tasks/cancel', params: { taskId: 't' }, headers: { 'Mcp-Name': 'u' } }, "says 'u'"],
  ['a second name', { more: ['mcp-name', 'run'] }, 'mcp-name comes twice'],
  ['a second method', { more: ['Mcp-Method', 'tools/call'] }, 'Mcp-Method comes twice'],
  ['a second version', { more: ['MCP-Protocol-Version', '2026-07-28'] }, 'MCP-Protocol-Version comes twice'],
  [
    'a second argument',
    { ...call({ region: 'eu' }, { 'Mcp-Param-Region': 'eu' }), more: ['mcp-param-region', 'eu'] },
    'twice',
  ],
  ['an argument without header', call({ region: 'eu' }), 'the header Mcp-Param-Region is missing'],
  ['an empty argument without header', call({ region: '' }), 'the header Mcp-Param-Region is missing'],
  ['another argument', call({ region: 'eu' }, { 'Mcp-Param-Region': 'us' }), "says 'us', the body says 'eu'"],
  ['another number', call({ deep: { count: 42 } }, { 'Mcp-Param-Count': '43' }), "says '43', the body says '42'"],
  ['a number in hex', call({ deep: { count: 42 } }, { 'Mcp-Param-Count': '0x2a' }), "says '0x2a'"],
  ['a header without argument', call({}, { 'Mcp-Param-Region': 'eu' }), 'the body has none'],
  ['a header for null', call({ region: null }, { 'Mcp-Param-Region': 'null' }), 'the body has none'],
  ['line breaks', call({ region: 'eu' }, { 'Mcp-Param-Region': base64('eu\r\nEvil: x') }), "says 'eu??Evil: x'"],
  ['an inherited argument', { ...call({}, { 'Mcp-Param-Region': 'x' }) }, 'the body has none'],
])('refuses %s', (_, one, told) => {
  expect(compare(one)).toMatch(/^-32020 Header mismatch: /u);
  expect(compare(one)).toContain(told);
});
