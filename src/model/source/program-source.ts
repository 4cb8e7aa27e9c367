import { shorten } from '../../base/shorten.js';
import { gateLine } from '../text/text-gate.js';
import type { SourceServer, SourceTool } from './client-source.js';
import { PROGRAM_TEXT } from './program-text.js';
import { toSchemaType } from './read-schema.js';
import { propertiesOf, type PropertyType, type SchemaType } from './schema-type.js';
import { Identifiers, stringLiteral } from './source-text.js';

export const PROGRAM_MARK = '// Written by plugboard emit-cli';

/**
 * A program with a command for each tool, in JavaScript that type-checks: the same text for every server, with a table
 * of its tools. Everything that the server says is a string in that table.
 */
export function programSource({ name: server, tools, entry }: SourceServer): string {
  const named = { style: 'kebab', otherwise: 'tool' } as const;
  const commands = new Identifiers(['help', 'version']).addAll(
    tools.map(({ tool }) => tool),
    named,
  );
  return [
    '#!/usr/bin/env node',
    '// @ts-check',
    `${PROGRAM_MARK}. Run it again instead of editing this file.`,
    "import { parseArgs } from 'node:util';",
    "import { Host } from 'plugboard';",
    '',
    `const SERVER = ${stringLiteral(server)};`,
    '/** @type {import("plugboard").HostOptions} */',
    entry === undefined
      ? 'const OPTIONS = { only: [SERVER] };'
      : `const OPTIONS = { strict: true, mcpServers: [SERVER + '=' + ${stringLiteral(JSON.stringify(entry))}] };`,
    '',
    '/** @typedef {"text" | "number" | "boolean" | "any" | "json" | "texts" | "numbers"} Kind */',
    '/** `off`: the flag that says false; empty where none does. */',
    '/** @typedef {{ flag: string, off: string, name: string, kind: Kind, isRequired: boolean, choices: string[], about: string }} Flag */',
    '/** @typedef {{ command: string, tool: string, name: string, about: string, flags: Flag[] }} Command */',
    '/** @type {Command[]} */',
    'const COMMANDS = [',
    ...tools.flatMap((tool, at) => commandLines(tool, commands[at]!)),
    '];',
    '',
    PROGRAM_TEXT,
  ].join('\n');
}

function commandLines({ name, tool, description, inputSchema }: SourceTool, command: string): string[] {
  const { properties } = propertiesOf(toSchemaType(inputSchema));
  return [
    '  {',
    `    command: ${stringLiteral(command)},`,
    `    tool: ${stringLiteral(tool)},`,
    `    name: ${stringLiteral(name)},`,
    `    about: ${aboutText(description)},`,
    '    flags: [',
    ...flagTexts(properties).map((text) => `      ${text},`),
    '    ],',
    '  },',
  ];
}

/** Flags that every command of the program has. */
const OWN_FLAGS = ['help', 'json', 'args', 'timeout', 'cwd', 'full', 'force'];

/** The flags of a tool in the program's table. Every property has one; `--no-x` is first of all a property `no-x`. */
function flagTexts(properties: readonly PropertyType[]): string[] {
  const named = { style: 'kebab', otherwise: 'argument' } as const;
  const identifiers = new Identifiers(OWN_FLAGS);
  const flags = identifiers.addAll(
    properties.map(({ name }) => name),
    named,
  );
  return properties.map(({ name, type, isOptional, description }, at) => {
    const flag = flags[at]!;
    const { kind, choices } = flagKind(type);
    const off = kind === 'boolean' ? identifiers.add(`no-${flag}`, named) : '';
    const words = `flag: ${stringLiteral(flag)}, off: ${stringLiteral(off)}, name: ${stringLiteral(name)}`;
    const list = choices.map(stringLiteral).join(', ');
    return `{ ${words}, kind: '${kind}', isRequired: ${!isOptional}, choices: [${list}], about: ${aboutText(description)} }`;
  });
}

function aboutText(description: string): string {
  const [first = ''] = description.trim().split('\n', 1);
  return stringLiteral(shorten(gateLine(first, { limit: ABOUT_LIMIT * 2 }).text.trim(), ABOUT_LIMIT));
}

const ABOUT_LIMIT = 200; // characters; help shows a line

interface FlagKind {
  readonly kind: 'text' | 'number' | 'boolean' | 'any' | 'json' | 'texts' | 'numbers';
  readonly choices: readonly string[];
}

/** How a value is typed: as it is, as a number, as a switch, or as JSON. `any`: JSON, or a text where it is none. */
function flagKind(type: SchemaType): FlagKind {
  if (type.kind === 'list') {
    const { kind } = flagKind(type.items);
    return { kind: kind === 'text' ? 'texts' : kind === 'number' ? 'numbers' : 'json', choices: [] };
  }
  if (type.kind === 'named') return flagKind(type.type);
  if (type.kind === 'word') return { kind: WORD_KINDS[type.word], choices: [] };
  if (type.kind === 'literal') {
    return typeof type.value === 'string' ? { kind: 'text', choices: [type.value] } : { kind: 'json', choices: [] };
  }
  if (type.kind !== 'union') return { kind: type.kind === 'all' || type.kind === 'self' ? 'any' : 'json', choices: [] };
  // Null is what an argument is that is left out.
  const members = type.members.filter((member) => member.kind !== 'word' || member.word !== 'null');
  if (members.length === 1) return flagKind(members[0]!);
  const texts = members.flatMap((member) =>
    member.kind === 'literal' && typeof member.value === 'string' ? [member.value] : [],
  );
  if (texts.length === members.length) return { kind: 'text', choices: texts };
  const takesText = members.some((member) => ['text', 'any'].includes(flagKind(member).kind));
  return { kind: takesText ? 'any' : 'json', choices: [] };
}

const WORD_KINDS = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  null: 'json',
  unknown: 'any',
  never: 'json',
} as const;
