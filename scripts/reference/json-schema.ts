import { unreachable } from '../../src/base/never.js';
import { PERMISSION_FIELDS, SETTINGS_FIELDS } from '../../src/config/policy/settings-fields.js';
import { type ConfigField, type FieldTable, objectOf, type Shape, someTexts } from '../../src/model/fields/shape.js';
import { kinds } from '../../src/transports/kinds.js';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schema of `.mcp.json`, of managed-mcp.json and of files after --mcp-config. */
export function mcpSchema(): JsonSchema {
  return file('MCP servers of a project', {
    properties: { ...dollarSchema, mcpServers: servers },
    // A file that is not empty and has no servers is a mistake.
    anyOf: [{ maxProperties: 0 }, { required: ['mcpServers'] }],
  });
}

/** The schema of the user's config.json. */
export function configSchema(): JsonSchema {
  return file('Your Plugboard servers and settings', {
    properties: {
      ...dollarSchema,
      mcpServers: servers,
      settings: {
        ...toSchema(objectOf(SETTINGS_FIELDS)),
        description: 'Your settings: permissions, hooks, policy, model.',
        // The policy's parser reports the misspelt ones of these names.
        patternProperties: { '[mM][cC][pP].?[sS]ervers?$': true },
      },
      disabledMcpServers: {
        ...toSchema(someTexts),
        description: 'Names of servers that you switched off. `plugboard disable` writes this.',
      },
      ...atTop,
    },
  });
}

/** The schema of a repository's .plugboard/settings.json, which can only tighten. */
export function projectSettingsSchema(): JsonSchema {
  const { deny, ask } = PERMISSION_FIELDS;
  const tightening = {
    ...toSchema(objectOf({ deny, ask })),
    description: 'Rules of this project. A repository can only add to deny and ask.',
  };
  const own = { permissions: tightening, hooks: false, toolSearch: false, toolBytes: false };
  return file('Plugboard settings of a project', {
    properties: { ...dollarSchema, mcpServers: servers, ...own, settings: { type: 'object', properties: own } },
  });
}

function file(title: string, more: JsonSchema): JsonSchema {
  const definitions = { server: serverSchema() };
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, type: 'object', ...more, definitions };
}

const dollarSchema = { $schema: { type: 'string', description: 'The schema of this file, for your editor.' } };
const servers = {
  type: 'object',
  description: 'Servers by name.',
  additionalProperties: { $ref: '#/definitions/server' },
};

/** Settings that may also be written at the top of the file, as in an administrator's. */
const { permissions, hooks, toolSearch, toolBytes, allowedMcpServers, deniedMcpServers, requireSandbox } =
  SETTINGS_FIELDS;
const atTop = toProperties({
  permissions,
  hooks,
  toolSearch,
  toolBytes,
  allowedMcpServers,
  deniedMcpServers,
  requireSandbox,
});

/** One server: all fields of all types, then what each type needs and does not have. */
function serverSchema(): JsonSchema {
  const table: FieldTable = Object.assign({}, ...kinds.map((kind) => kind.table));
  const words = kinds.flatMap(({ type, aliases }) => [type, ...aliases]);
  const ofKind = (type: string): JsonSchema => {
    const own = kinds.find((kind) => kind.type === type)!.table;
    const foreign = Object.keys(table).filter((name) => !Object.hasOwn(own, name));
    const required = Object.keys(own).filter((name) => own[name]!.isRequired === true);
    return { required, properties: Object.fromEntries(foreign.map((name) => [name, false])) };
  };
  const untyped = { anyOf: [{ not: { required: ['type'] } }, { properties: { type: { const: null } } }] };
  return {
    type: 'object',
    properties: {
      type: {
        enum: [...words, null],
        description: 'How the server is reached. Default: stdio for a command, http for a url.',
      },
      ...toProperties(table),
    },
    additionalProperties: false,
    allOf: [
      ...kinds.map(({ type, aliases }) =>
        when({ required: ['type'], properties: { type: { enum: [type, ...aliases] } } }, ofKind(type)),
      ),
      when(untyped, { anyOf: [{ required: ['command'] }, { required: ['url'] }] }),
      when({ allOf: [untyped, { required: ['command'] }] }, ofKind('stdio')),
      when({ allOf: [untyped, { required: ['url'] }] }, ofKind('http')),
    ],
  };
}

function when(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: condition, then: consequence };
}

function toSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', ...(shape.isFilled === true && { pattern: '\\S' }) };
    case 'flag':
      return { type: 'boolean' };
    case 'number':
      return shape.isFraction === true
        ? { type: 'number', exclusiveMinimum: shape.min }
        : { type: 'integer', minimum: shape.min, maximum: shape.max };
    case 'word':
      return { enum: shape.words };
    case 'exactly':
      return { const: shape.value };
    case 'list':
      return {
        type: 'array',
        items: toSchema(shape.of),
        ...(shape.least !== undefined && { minItems: shape.least }),
        ...(shape.most !== undefined && { maxItems: shape.most }),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: toSchema(shape.of),
        ...(shape.names !== undefined && { propertyNames: { pattern: shape.names } }),
      };
    case 'object':
      return toObjectSchema(shape);
    case 'either':
      return { anyOf: shape.of.map(toSchema) };
    default:
      return unreachable(shape);
  }
}

function toObjectSchema({ fields, isOpen, count }: Extract<Shape, { readonly kind: 'object' }>): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name]!.isRequired === true);
  return {
    type: 'object',
    properties: toProperties(fields),
    ...(required.length > 0 && { required }),
    ...(isOpen !== true && { additionalProperties: false }),
    ...(count !== undefined && { minProperties: count, maxProperties: count }),
  };
}

function toProperties(table: FieldTable): JsonSchema {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, toFieldSchema(field)]));
}

/** Editors show `description` as plain text, so the marks of Markdown are left out there. */
function toFieldSchema({ shape, description, default: usual, example }: ConfigField): JsonSchema {
  const words = usual === undefined ? description : `${description} Default: ${usual}.`;
  const plain = words.replaceAll(/[`\\]/gu, '');
  return {
    ...toSchema(shape),
    description: plain,
    ...(plain !== words && { markdownDescription: words }),
    ...(example !== undefined && { examples: [example] }),
  };
}
