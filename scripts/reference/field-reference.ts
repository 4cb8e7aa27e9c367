import { unreachable } from '../../src/base/never.js';
import { HOOK_FIELDS, PERMISSION_FIELDS, SETTINGS_FIELDS } from '../../src/config/policy/settings-fields.js';
import type { FieldTable, Shape } from '../../src/model/fields/shape.js';
import { OAUTH_FIELDS, REMOTE_FIELDS, SANDBOX_FIELDS } from '../../src/transports/entry-fields.js';
import { kinds } from '../../src/transports/kinds.js';
import { table } from './markdown.js';

/** The reference of an entry's fields: a table for each set of types that has the same fields. */
export function entryReference(): string {
  const groups = new Map<string, FieldTable>();
  const all: FieldTable = Object.assign({}, ...kinds.map((kind) => kind.table));
  for (const [name, field] of Object.entries(all)) {
    const having = kinds.filter((kind) => Object.hasOwn(kind.table, name)).map(({ type }) => type);
    const title = having.length === kinds.length ? 'Every server' : `Type ${having.join(', ')}`;
    groups.set(title, { ...groups.get(title), [name]: field });
  }
  return [
    ...[...groups].flatMap(([title, fields]) => [`### ${title}`, '', fieldTable(fields), '']),
    ...section('oauth', OAUTH_FIELDS),
    ...section('tls', REMOTE_FIELDS.tls.shape.fields),
    ...section('sandbox', SANDBOX_FIELDS),
  ].join('\n');
}

/** The reference of `settings`. */
export function settingsReference(): string {
  const { connectors, xaaIdp, links, model, agents, sessions, results, gateway, allowedMcpServers, hooks } =
    SETTINGS_FIELDS;
  const hookGroup = hooks.shape.fields.PreToolUse.shape.of.fields;
  return [
    fieldTable(SETTINGS_FIELDS),
    '',
    ...section('permissions', PERMISSION_FIELDS),
    ...section('hooks', HOOK_FIELDS),
    ...section('an element of a hook event', hookGroup),
    ...section('a command of a hook', hookGroup.hooks.shape.of.fields),
    ...section('an element of allowedMcpServers and deniedMcpServers: exactly one', allowedMcpServers.shape.of.fields),
    ...section('connectors', connectors.shape.fields),
    ...section('xaaIdp', xaaIdp.shape.fields),
    ...section('an element of links', links.shape.of.of[1].fields),
    ...section('model, written as an object', model.shape.of[1].fields),
    ...section('a sub-agent in agents', agents.shape.of.fields),
    ...section('sessions', sessions.shape.fields),
    ...section('results', results.shape.fields),
    ...section('gateway', gateway.shape.fields),
    ...section('a preset in gateway', gateway.shape.fields.presets.shape.of.fields),
  ].join('\n');
}

function section(what: string, fields: FieldTable): string[] {
  return [`### Fields of ${what}`, '', fieldTable(fields), ''];
}

function fieldTable(fields: FieldTable): string {
  const rows = Object.entries(fields).map(([name, { shape, description, default: usual, isRequired, example }]) => [
    `\`${name}\``,
    typeText(shape),
    isRequired === true ? '**required**' : (usual ?? ''),
    description,
    example === undefined ? '' : `\`${JSON.stringify(example)}\``,
  ]);
  return table(['field', 'type', 'default', 'meaning', 'example'], rows);
}

function typeText(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return shape.isSecret === true ? 'string, secret' : 'string';
    case 'flag':
      return '`true` or `false`';
    case 'number':
      if (shape.isFraction === true) return `number above ${shape.min}`;
      return shape.max >= 2_147_483_647 ? `integer from ${shape.min}` : `integer, ${shape.min} to ${shape.max}`;
    case 'word':
      return shape.words.map((word) => `\`${word}\``).join(', ');
    case 'exactly':
      return `\`${shape.value}\``;
    case 'list':
      return shape.of.kind === 'text' ? 'array of strings' : shape.of.kind === 'object' ? 'array of objects' : 'array';
    case 'map':
      return shape.of.kind === 'text' ? 'object of strings' : 'object of objects by name';
    case 'object':
      return 'object';
    case 'either':
      return shape.of.map(typeText).join(' or ');
    default:
      return unreachable(shape);
  }
}
