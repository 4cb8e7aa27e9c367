import type { PermissionAnswer, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { statedLine } from '../../model/stated-hints.js';
import { showExact, showLine } from '../../model/show.js';
import type { Screen } from '../terminal/screen.js';
import { wrapText } from '../terminal/text/text-width.js';
import { quotedRows, ownRows } from './display/quoted-rows.js';

export interface PermissionDialogParts {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** The file that `always` would write its rule to. */
  readonly ruleFile: string | undefined;
  /** Called when the user leaves without an answer, which stops the whole turn. */
  readonly onLeave: () => void;
}

/** Shows what the user needs to decide about a call, then takes one key. Enter decides nothing. Never rejects. */
export async function askPermission(
  question: PermissionQuestion,
  parts: PermissionDialogParts,
): Promise<PermissionAnswer> {
  const { screen, signal, onLeave } = parts;
  const rows = quotedRows(question.shown, screen.columns);
  const room = Math.max(screen.rows - ROWS_AROUND, ROWS_AT_LEAST);
  // Replacing one row by a note would save nothing.
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
          // Wrapped for the screen's current width: a row that the terminal wraps itself would have no bar.
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
const WITHDRAWN = 'The call was cancelled while you were asked: nothing was called.';
const ROWS_AROUND = 14; // for the question, its reason and the choices
const ROWS_AT_LEAST = 8;
const NARROWEST = 24;

type Choice = PermissionQuestion['offers'][number] | 'no' | 'tell' | 'view';

function describe(question: PermissionQuestion, input: readonly string[], { columns, style }: Screen): string[] {
  const { reason, change = [] } = question;
  const own = ownText(question);
  return [
    '',
    ...(own === undefined ? callRows(question, columns) : ownRows(own, columns)).map(style.bold),
    ...(own === undefined ? titleRows(question, columns) : []),
    ...(own === undefined ? ownRows(`  ${statedLine(question)}`, columns, 4) : []),
    ...input,
    ...ownRows(`  You are asked because ${withoutStop(reason)}`, columns, 4),
    ...change.flatMap((one) => ownRows(`! Changed since you allowed it: ${one}`, columns)).map(style.yellow),
  ];
}

/** The question for sampling and resources, which are decided like tools. No tool of a server can have these names. */
function ownText({ name, tool, server }: PermissionQuestion): string | undefined {
  if (server === undefined || !name.endsWith(`__${tool}`)) return undefined;
  if (tool === 'sampling')
    return `Server ${showExact(server)} wants to use your model: this costs tokens, and the server reads the answer`;
  if (tool === 'resources')
    return `The model wants to read a resource of server ${showExact(server)}, which receives the URI`;
  return undefined;
}

/** A tool name that does not fit into the sentence gets its own rows: no row of the screen may begin within it. */
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
  return title === undefined || title === tool ? [] : quotedRows(`The tool calls itself ${showExact(title)}`, columns);
}

function withoutStop(reason: string): string {
  return reason.replace(/\.$/u, '');
}

function cut(rows: readonly string[], room: number): string[] {
  const left = rows.length - room;
  return [...rows.slice(0, room), `… ${left} more rows: v shows all of them`];
}

/** The keys that are offered, with what each means. */
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
