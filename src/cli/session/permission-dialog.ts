import type { PermissionAnswer, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { showLine } from '../../model/show.js';
import { answeredRow, choiceRows } from '../dialogs/frame.js';
import type { DialogBlock, Screen } from '../terminal/screen.js';
import { toolText } from './display/call-lines.js';
import { PermissionView } from './permission-view.js';

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
  using block = screen.openBlock();
  const fold = (isYes: boolean, text: string): void => block.fold(answeredRow(isYes, text, screen));
  const tool = toolText(question.name);
  try {
    const answer = await decide(question, parts, block);
    fold(answer.kind === 'allow', `${tool} ${answerText(answer, question, parts)}`);
    return answer;
  } catch (cause) {
    if (signal.aborted) fold(false, `${tool}: the call was cancelled while you were asked, nothing was called`);
    else {
      fold(false, `${tool} denied: you left without an answer`);
      onLeave();
    }
    return { kind: 'deny', reason: cause instanceof HostError && cause.code === 'cancelled' ? LEFT : String(cause) };
  }
}

const LEFT = 'nobody answered';

async function decide(
  question: PermissionQuestion,
  parts: PermissionDialogParts,
  block: DialogBlock,
): Promise<PermissionAnswer> {
  const { screen, signal } = parts;
  const view = new PermissionView(question, screen);
  const size = (): { readonly columns: number; readonly rows: number } => ({
    columns: screen.columns,
    rows: screen.isPlain ? Infinity : screen.rows,
  });
  const choices = choicesFor(question, parts);
  const rows = (): readonly string[] => {
    const unfolding = view.unfolding(size());
    const shown = choices.map(([key, , meaning]) => [key, meaning] as const);
    return choiceRows(unfolding === undefined ? shown : [...shown, ['v', unfolding]], screen);
  };
  block.view(view);
  const keys = Object.fromEntries(choices.map(([key, choice]) => [key, choice]));
  const words = Object.fromEntries(choices.map(([, choice]) => [WORDS[choice], choice]));
  const choice = await block.choose(rows, { keys, words, signal });
  switch (choice) {
    case 'no':
      return { kind: 'deny' };
    case 'tell': {
      const reason = (await block.ask('Why not? ', { signal })).trim();
      return reason === '' ? { kind: 'deny' } : { kind: 'deny', reason };
    }
    case 'once':
    case 'session':
    case 'always':
      return { kind: 'allow', remember: choice };
    default:
      return unreachable(choice);
  }
}

/** What can be typed on a screen that takes lines. */
const WORDS = { once: 'yes', session: 'session', always: 'always', no: 'no', tell: 'tell' } as const;

type Choice = PermissionQuestion['offers'][number] | 'no' | 'tell';

/** The keys that are offered, with what each means. */
function choicesFor(
  { offers, rule, flow }: PermissionQuestion,
  { ruleFile }: PermissionDialogParts,
): readonly (readonly [key: string, choice: Choice, meaning: string])[] {
  const what = flow ? `${showLine(rule)} to flow.allow in` : `the rule ${showLine(rule)} to`;
  const where = ruleFile === undefined ? '' : `: writes ${what} ${showLine(ruleFile)}`;
  const all = [
    ['y', 'once', 'yes, this once'],
    ['s', 'session', flow ? `yes, and all that goes this way in this session: ${rule}` : 'yes, in this session'],
    ['a', 'always', `always${where}`],
    ['n', 'no', 'no'],
    ['t', 'tell', 'no, and tell the model why'],
  ] as const;
  const open: readonly Choice[] = [...offers, 'no', 'tell'];
  return all.filter(([, choice]) => open.includes(choice));
}

function answerText(
  answer: PermissionAnswer,
  { rule, flow }: PermissionQuestion,
  { ruleFile }: PermissionDialogParts,
): string {
  if (answer.kind === 'deny') return answer.reason === undefined ? 'denied' : 'denied, and the model is told why';
  if (answer.remember === 'once') return 'allowed once';
  if (answer.remember === 'session') return `allowed in this session${flow ? `: ${rule}` : ''}`;
  return ruleFile === undefined ? 'always allowed' : `always allowed: the rule ${rule} is in ${ruleFile}`;
}
