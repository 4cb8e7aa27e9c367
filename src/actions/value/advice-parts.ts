import { countOf, showLine, showName, showPath } from '../../model/show.js';
import type { AdviceEdit, AdviceStep, ServerValue } from '../../model/value/server-value.js';
import type { ToldPart } from '../told.js';

/**
 * Why a server costs more than it brings, and each way to change that, with the lines to write. What changes all servers
 * is told for the first one alone.
 */
export function adviceParts({ name, advice }: ServerValue, isFirst = true): ToldPart[] {
  if (!advice) return [];
  const { reason, why } = advice;
  const own = advice.steps.filter(({ isOfAll }) => isOfAll !== true);
  const steps = isFirst || own.length === 0 ? advice.steps : own;
  const shown = showLine(name);
  const start = reason === 'unused-tools' ? `${shown} could cost less` : `${shown} costs more than it brings`;
  const end = steps.length > 1 ? '. One of these helps:' : '.';
  return [
    { kind: 'sentence', text: '' },
    { kind: 'line', spans: [{ text: start, tone: 'waiting' }, { text: showLine(`: ${why}${end}`) }] },
    ...(reason === 'failing' ? [hint(`  Find out why: plugboard logs --calls ${showName(name)}`)] : []),
    ...(steps.length === 0 ? [hint('  No file of yours decides about it')] : []),
    ...steps.flatMap(stepParts),
  ];
}

function stepParts({ kind, saves, edits, command, note }: AdviceStep): ToldPart[] {
  const saved = saves > 0 ? `, for ${saves.toLocaleString('en')} tokens a turn less` : '';
  const end = edits.length > 0 ? ':' : '';
  return [
    {
      kind: 'line',
      spans: [{ text: showLine(`  ${WORDS[kind]}${saved}${note === undefined ? '' : `. ${note}`}${end}`) }],
    },
    ...edits.flatMap(editParts),
    ...(command === undefined ? [] : [hint(`    or run: ${showLine(command)}`)]),
  ];
}

function editParts(edit: AdviceEdit): ToldPart[] {
  return [
    { kind: 'line', spans: [{ text: showLine(`    ${placeText(edit)}:`), tone: 'quiet' }] },
    { kind: 'sentence', text: showLine(`      ${textOf(edit)}`) },
  ];
}

function textOf({ write, remove = '', isNewFile }: AdviceEdit): string {
  if (write === undefined) return remove;
  return isNewFile === true ? `{ ${write} }` : write;
}

/** Where a line belongs: `write into "mcpServers.notes" in config.json:3`. */
function placeText({ file, line, path, remove, replaces, isNewFile }: AdviceEdit): string {
  const place = `${showPath(file)}${line === undefined ? '' : `:${line}`}`;
  if (isNewFile === true) return `make the file ${place}`;
  const what = remove !== undefined ? 'take out of' : replaces === true ? 'replace in' : 'write into';
  return path === '' ? `${what} ${place}` : `${what} "${path}" in ${place}`;
}

/** What the most useful step is, in one line: for faces that have no room for all. */
export function adviceLine({ name, advice }: ServerValue): string | undefined {
  const [step] = advice?.steps ?? [];
  if (!advice) return undefined;
  const start = `${showLine(name)}: ${showLine(advice.why)}`;
  if (!step) return start;
  const edits = step.edits.map((edit) => `${placeText(edit)}: ${showLine(textOf(edit))}`);
  const saves = step.saves > 0 ? ` (${countOf(step.saves, 'token')} a turn less)` : '';
  return `${start}. To ${step.kind} it${saves}, ${edits.length > 0 ? edits.join('; and ') : showLine(step.note ?? '')}`;
}

function hint(text: string): ToldPart {
  return { kind: 'hint', text };
}

const WORDS = {
  defer: 'Defer it',
  narrow: 'Narrow it to the tools that are used',
  disable: 'Disable it',
} as const;
