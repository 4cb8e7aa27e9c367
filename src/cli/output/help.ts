import { VERSION } from '../../base/version.js';
import { commonOptions } from '../input/options.js';
import type { Option, Verb } from '../verb.js';
import { wrapLine } from './wrap.js';

/** The text of `plugboard --help`: one screen, verbs first. */
export function overallHelp(verbs: readonly Verb[]): string {
  const shown = verbs.filter(({ hidden }) => hidden !== true);
  return [
    `plugboard ${VERSION}: one host for all your MCP servers`,
    '',
    'Usage: plugboard COMMAND [flags]',
    ...shown.flatMap(({ usages = [] }) => usages.map((usage) => `       ${usage}`)),
    '',
    'Commands:',
    ...columns(shown.map(({ name, aliases, summary }) => [[name, ...(aliases ?? [])].join(', '), summary])),
    '',
    'Flags on every command:',
    ...columns(commonOptions.map(optionRow)),
    '',
    'plugboard COMMAND --help explains a command; plugboard mcp COMMAND is the same as',
    'plugboard COMMAND. Try: plugboard list',
    '',
  ].join('\n');
}

export function verbHelp(verb: Verb): string {
  const options = (verb.options ?? []).filter(({ hidden }) => hidden !== true);
  return [
    ...usagesOf(verb).map((usage, at) => `${at === 0 ? 'Usage:' : '      '} ${usage}`),
    '',
    verb.summary,
    ...(verb.details ? ['', ...verb.details.flatMap((line) => wrapLine(line, COLUMNS, 4))] : []),
    ...(options.length > 0 ? ['', 'Flags:', ...columns(options.map(optionRow))] : []),
    '',
    'Flags on every command:',
    ...columns(commonOptions.map(optionRow)),
    ...(verb.examples && verb.examples.length > 0
      ? ['', 'Examples:', ...verb.examples.map((example) => `  ${example}`)]
      : []),
    '',
  ].join('\n');
}

function usagesOf({ name, usage, usages }: Verb): readonly string[] {
  return usages ?? [`plugboard ${[name, usage].filter(Boolean).join(' ')}`];
}

function optionRow({ name, short, value, isValueOptional, summary, repeatable }: Option): [string, string] {
  const flag = [short === undefined ? undefined : `-${short}`, `--${name}`].filter(Boolean).join(', ');
  return [
    value === undefined ? flag : `${flag} ${isValueOptional ? `[${value}]` : value}`,
    repeatable === true ? `${summary} (repeatable)` : summary,
  ];
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => wrapLine(`  ${left.padEnd(width)}  ${right}`, COLUMNS, width + 4));
}

const COLUMNS = 80; // the narrowest usual screen; help is often read through a pager
