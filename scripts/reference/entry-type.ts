import { unreachable } from '../../src/base/never.js';
import type { ConfigField, FieldTable, Shape } from '../../src/model/fields/shape.js';
import { connectorProxy } from '../../src/transports/connector-proxy.js';
import { COMMON_FIELDS } from '../../src/transports/entry-fields.js';
import { kinds } from '../../src/transports/kinds.js';

/** The type of an entry for programs, with the descriptions of the fields as comments: src/config/server-entry.ts. */
export function entryType(): string {
  // Not those that another program writes to a file, or that the user's account brings.
  const own = kinds.filter((kind) => kind.origin !== 'program' && kind !== connectorProxy);
  const all: FieldTable = Object.assign({}, ...own.map(({ table }) => table));
  const typesOf = (name: string): string[] =>
    own.filter(({ table }) => Object.hasOwn(table, name)).map(({ type }) => type);
  const special = Object.entries(all).filter(([name]) => !Object.hasOwn(COMMON_FIELDS, name));
  return [
    '// Written by node scripts/reference.mjs from src/transports/entry-fields.ts.',
    '',
    '/** One server, as in a configuration file. An unknown field is reported among the problems, as for a file. */',
    'export interface ServerEntry {',
    ...toComment('How messages travel. Default: `stdio` with a command, `http` with a URL.', '  '),
    `  readonly type?: ${own.map(({ type }) => `'${type}'`).join(' | ')};`,
    ...special.flatMap(([name, field]) => toField(name, field, '  ', `For ${listed(typesOf(name))}. `)),
    ...Object.entries(COMMON_FIELDS).flatMap(([name, field]) => toField(name, field, '  ')),
    ...toComment('Fields that this version does not know are kept and reported.', '  '),
    '  readonly [field: string]: unknown;',
    '}',
    '',
  ].join('\n');
}

function listed(types: readonly string[]): string {
  const quoted = types.map((type) => `\`${type}\``);
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}

function toField(name: string, field: ConfigField, indent: string, before = ''): string[] {
  const { shape, description, default: usual } = field;
  const more = usual === undefined ? '' : ` Default: ${usual}.`;
  const comment = `${before}${description}${more}`.replaceAll(String.raw`\*`, '*');
  return [...toComment(comment, indent), `${indent}readonly ${name}?:${toTypeAfterColon(shape, indent)};`];
}

/** As the formatter leaves it: a union with an object in it takes a line for each member. */
function toTypeAfterColon(shape: Shape, indent: string): string {
  if (shape.kind !== 'either' || !shape.of.some(({ kind }) => kind === 'object')) return ` ${toType(shape, indent)}`;
  return shape.of.map((one) => `\n${indent}  | ${toType(one, `${indent}    `)}`).join('');
}

/** As the formatter leaves comments. */
function toComment(text: string, indent: string): string[] {
  const line = `${indent}/** ${text} */`;
  if (line.length <= WIDTH) return [line];
  const lines: string[] = [];
  let current = `${indent} *`;
  for (const word of text.split(' ')) {
    if (current.length + 1 + word.length > WIDTH) {
      lines.push(current);
      current = `${indent} *`;
    }
    current += ` ${word}`;
  }
  return [`${indent}/**`, ...lines, current, `${indent} */`];
}

const WIDTH = 120; // printWidth of .oxfmtrc.json

function toType(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'text':
      return 'string';
    case 'flag':
      return 'boolean';
    case 'number':
      return 'number';
    case 'word':
      return shape.words.map((word) => `'${word}'`).join(' | ');
    case 'exactly':
      return String(shape.value);
    case 'list':
      return shape.of.kind === 'text' ? 'readonly string[]' : `readonly (${toType(shape.of, indent)})[]`;
    case 'map':
      return `Readonly<Record<string, ${toType(shape.of, indent)}>>`;
    case 'object': {
      const fields = Object.entries(shape.fields).flatMap(([name, field]) => toField(name, field, `${indent}  `));
      return ['{', ...fields, `${indent}}`].join('\n');
    }
    case 'either':
      return shape.of.map((one) => toType(one, indent)).join(' | ');
    default:
      return unreachable(shape);
  }
}
