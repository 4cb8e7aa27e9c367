import { commonOptions } from '../../src/cli/input/options.js';
import { wrapLine } from '../../src/cli/output/wrap.js';
import type { Option, Verb } from '../../src/cli/verb.js';
import { verbs } from '../../src/cli/verbs/all.js';
import { table } from './markdown.js';

const COLUMNS = 100; // what a page shows without a scroll bar

/** The reference of all commands, in the order of `plugboard --help`. */
export function commandReference(): string {
  const shown = verbs.filter(({ hidden }) => hidden !== true);
  return [
    table(
      ['command', 'what it does'],
      shown.map(({ name, aliases = [], summary }) => [
        [`[${name}](#${name})`, ...aliases.map((alias) => `\`${alias}\``)].join(', '),
        plain(summary),
      ]),
    ),
    '',
    '## Flags on every command',
    '',
    flagTable(commonOptions),
    '',
    ...shown.flatMap(commandSection),
  ].join('\n');
}

function commandSection({ name, usage, usages, summary, details = [], options = [], examples = [] }: Verb): string[] {
  const lines = usages ?? [`plugboard ${[name, usage].filter(Boolean).join(' ')}`];
  return [
    `## ${name}`,
    '',
    `${plain(summary)}.`,
    '',
    ...block(lines),
    ...(details.length > 0 ? block(details.flatMap((line) => wrapLine(line, COLUMNS, 2))) : []),
    ...(options.length > 0 ? [flagTable(options.filter(({ hidden }) => hidden !== true)), ''] : []),
    ...(examples.length > 0 ? ['Examples:', '', ...block(examples)] : []),
  ];
}

function block(lines: readonly string[]): string[] {
  return ['```text', ...lines, '```', ''];
}

function flagTable(options: readonly Option[]): string {
  const rows = options.map(({ name, short, value, isValueOptional, summary, repeatable, choices }) => {
    const words = [short === undefined ? undefined : `-${short}`, `--${name}`].filter(Boolean).join(', ');
    const more = [
      repeatable === true ? 'repeatable' : undefined,
      // Most summaries name the choices themselves.
      choices?.every((choice) => summary.includes(choice)) === false ? `one of ${choices.join(', ')}` : undefined,
    ].filter(Boolean);
    return [
      `\`${value === undefined ? words : `${words} ${isValueOptional ? `[${value}]` : value}`}\``,
      plain(summary) + (more.length > 0 ? ` (${more.join('; ')})` : ''),
    ];
  });
  return table(['flag', 'meaning'], rows);
}

/** What Markdown would read as marks, as plain text. */
function plain(text: string): string {
  return text.replaceAll(/[<>*_]/gu, '\\$&');
}
