import type { PermissionAnswer, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import type { ToolHints } from '../../model/tool.js';
import { showExact, showLine } from '../../model/show.js';
import type { Screen } from '../terminal/screen.js';
import { wrapText } from '../terminal/text/text-width.js';
import { quotedRows, ownRows } from './display/quoted-rows.js';

export interface PermissionDialogParts {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** Where `always` would write its rule. */
  readonly ruleFile: string | undefined;
  /** Whoever leaves without an answer wants the whole turn stopped. */
  readonly onLeave: () => void;
}

/** Whether a tool may be called: all that somebody needs to decide, then one key. Enter alone decides nothing. Never rejects. */
export async function askPermission(
  question: PermissionQuestion,
  parts: PermissionDialogParts,
): Promise<PermissionAnswer> {
  const { screen, signal, onLeave } = parts;
  const rows = quotedRows(question.shown, screen.columns);
  const room = Math.max(screen.rows - ROWS_AROUND, ROWS_AT_LEAST);
  // One row in place of another saves nothing.
  let isWhole = rows.length <= room + 1;
  try {
    screen.print(describe(question, isWhole ? rows : cut(rows, room), screen).join('\n'));
    for (;;) {
      const choices = choicesFor(question, { ...parts, isWhole });
      const keys = Object.fromEntries(choices.map(([key, choice]) => [key, choice]));
      const choice = await screen.choose(choiceRows(choices, screen), { keys, signal });
      switch (choice) {
        case 'view':
          isWhole = true;
          // As wide as the screen is by now: what it broke itself would begin a row with whatever comes then.
          screen.print(quotedRows(question.shown, screen.columns).join('\n'));
          continue;
        case 'no':
          return { kind: 'deny' };
        case 'tell':
          return await tellWhy(parts);
        case 'once':
        case 'session':
        case 'always':
          return { kind: 'allow', remember: choice };
        default:
          return unreachable(choice);
      }
    }
  } catch (cause) {
    if (signal.aborted) screen.print(screen.style.dim(WITHDRAWN));
    else onLeave();
    return { kind: 'deny', reason: cause instanceof HostError && cause.code === 'cancelled' ? LEFT : String(cause) };
  }
}

const LEFT = 'nobody answered';
const WITHDRAWN = 'Nobody waits for an answer any more: it is not called.';
const ROWS_AROUND = 14; // who asks, why, and the choices
const ROWS_AT_LEAST = 8;
const NARROWEST = 24;

type Choice = PermissionQuestion['offers'][number] | 'no' | 'tell' | 'view';

function describe(question: PermissionQuestion, input: readonly string[], { columns, style }: Screen): string[] {
  const { hints, reason, change = [] } = question;
  const own = ownText(question);
  return [
    '',
    ...(own === undefined ? callRows(question, columns) : ownRows(own, columns)).map(style.bold),
    ...(own === undefined ? titleRows(question, columns) : []),
    ...(own === undefined ? ownRows(`  It says of itself that it ${hintWords(hints)}`, columns, 4) : []),
    ...input,
    ...ownRows(`  You are asked because ${withoutStop(reason)}`, columns, 4),
    ...change.flatMap((one) => ownRows(`! Changed since you allowed it: ${one}`, columns)).map(style.yellow),
  ];
}

/** What is asked about what is no tool, and is decided like one. No tool of a server can have these names. */
function ownText({ name, tool, server }: PermissionQuestion): string | undefined {
  if (server === undefined || !name.endsWith(`__${tool}`)) return undefined;
  if (tool === 'sampling')
    return `Server ${showExact(server)} wants to use your model: it costs tokens, and the server reads the answer`;
  if (tool === 'resources')
    return `The model wants to read a resource of server ${showExact(server)}, which gets the address`;
  return undefined;
}

/** A name that does not fit into the row with our words has rows of its own: no row of the screen may begin in the middle of it. */
function callRows({ server, tool }: PermissionQuestion, columns: number): string[] {
  const whose = server === undefined ? 'Plugboard itself' : `server ${showExact(server)}`;
  const rows = ownRows(`The model wants to call ${showExact(tool)} of ${whose}`, columns);
  if (rows.length === 1) return rows;
  return [
    ...ownRows(`The model wants to call this tool of ${whose}:`, columns),
    ...quotedRows(showExact(tool), columns),
  ];
}

function titleRows({ tool, title }: PermissionQuestion, columns: number): string[] {
  return title === undefined || title === tool ? [] : quotedRows(`It calls itself ${showExact(title)}`, columns);
}

/** What a server says of its tool is never to be relied on, and said as what it is. */
function hintWords({ readOnly, destructive, openWorld }: ToolHints): string {
  const does = readOnly
    ? 'only reads'
    : destructive
      ? 'changes things and may destroy'
      : 'changes things, without destroying';
  return openWorld ? `${does}, and reaches outside` : does;
}

function withoutStop(reason: string): string {
  return reason.replace(/\.$/u, '');
}

function cut(rows: readonly string[], room: number): string[] {
  const left = rows.length - room;
  return [...rows.slice(0, room), `… ${left} more rows: v shows all of them`];
}

/** Which key means what, and what is said of it. */
function choicesFor(
  { offers, rule }: PermissionQuestion,
  { ruleFile, isWhole }: PermissionDialogParts & { readonly isWhole: boolean },
): readonly (readonly [key: string, choice: Choice, word: string])[] {
  const where = ruleFile === undefined ? '' : `: writes the rule ${showLine(rule)} to ${showLine(ruleFile)}`;
  const all = [
    ['y', 'once', 'yes, this once'],
    ['s', 'session', 'yes, in this session'],
    ['a', 'always', `always${where}`],
    ['n', 'no', 'no'],
    ['t', 'tell', 'no, and tell the model why'],
    ['v', 'view', 'show all that would be sent'],
  ] as const;
  const open: readonly Choice[] = [...offers, 'no', 'tell', ...(isWhole ? [] : ['view' as const])];
  return all.filter(([, choice]) => open.includes(choice));
}

function choiceRows(choices: ReturnType<typeof choicesFor>, { style, columns }: Screen): string[] {
  const room = Math.max(columns - 1, NARROWEST);
  return [
    ...choices.flatMap(([key, , word]) => wrapText(`  ${style.bold(key)}  ${word}`, room, 5)),
    `${choices.map(([key]) => key).join('/')}: `,
  ];
}

async function tellWhy({ screen, signal }: PermissionDialogParts): Promise<PermissionAnswer> {
  const reason = (await screen.ask('Why not? ', { signal })).trim();
  return reason === '' ? { kind: 'deny' } : { kind: 'deny', reason };
}
