import { unreachable } from '../../base/never.js';
import { wrapText } from '../terminal/text/text-width.js';
import { panelKeys } from './action-keys.js';
import type { HelpView } from './panel-state.js';

/** Every key of a view, and what its columns mean. */
export function helpRows(view: HelpView['back']['kind'], columns: number): string[] {
  const { keys, notes = [] } = helpOf(view);
  const lines = [...keys, BACK];
  const width = Math.max(...lines.map(([key]) => key.length)) + 4;
  return [
    'Keys',
    ...lines.flatMap(([key, about]) => wrapText(`  ${key.padEnd(width - 2)}${about}`, columns - 1, width)),
    ...(notes.length === 0 ? [] : ['']),
    ...notes.flatMap((note) => wrapText(note, columns - 1)),
  ];
}

type HelpLine = readonly [key: string, about: string];

interface ViewHelp {
  readonly keys: readonly HelpLine[];
  readonly notes?: readonly string[];
}

function helpOf(view: HelpView['back']['kind']): ViewHelp {
  switch (view) {
    case 'table':
      return {
        keys: [
          ...MOVES,
          ['enter', 'open a server'],
          ...ACTIONS,
          ['/', 'only servers with these words in name, scope or state'],
          ['f', 'only servers with a problem'],
          ['s S', 'sort by name, state, tools, tokens, ms, or as listed; S reverses'],
          ['t', 'tokens of the context by server'],
        ],
        notes: [TOKENS],
      };
    case 'detail':
      return {
        keys: [
          ...MOVES,
          ['enter', 'open a section, a tool, prompt or resource'],
          ['tab', 'go to the next section; left closes one, right opens it'],
          ['c', 'call the selected tool'],
          ...ACTIONS,
          ['/', 'only tools, resources and prompts with these words'],
          ['s', 'sort the tools by name, by tokens, or as listed'],
        ],
        notes: [TOKENS, BARS],
      };
    case 'item':
      return { keys: [...MOVES, ['c enter', 'call the tool']], notes: [BARS] };
    case 'call':
      return {
        keys: [
          ['up down tab', 'go to another argument'],
          ['enter', 'go to the next argument; on the last row, call'],
          ['left right space', 'pick from a list; where several may be picked, space ticks one'],
          ['backspace', 'empty a list'],
          ['alt-enter', 'a new line in a text'],
          ['ctrl-r', 'call at once'],
          ['ctrl-o', 'copy the call as a command; y on the last row'],
          ['f1', 'this help; ? where no text is typed'],
        ],
        notes: [
          'A star marks what is required. An empty argument is left out; "" is an empty text. Objects and lists are typed as JSON.',
          BARS,
        ],
      };
    case 'result':
      return {
        keys: [
          ...MOVES,
          ['escape', 'while the call runs: stop it'],
          ['y', 'copy the call as a command'],
          ['r', 'call again with the same arguments'],
          ['f', 'send a call that does not fit as it is'],
          ['v', 'draw the image of the result'],
        ],
        notes: [BARS],
      };
    case 'budget':
      return { keys: MOVES, notes: [TOKENS, 'The same numbers as /cost.'] };
    case 'picture':
      return { keys: [['left right', 'the image before, the next one']] };
    case 'approve':
      return {
        keys: [...MOVES, ['y', 'let the server run, once all rows were on the screen'], ['n', 'do not']],
        notes: [BARS],
      };
    case 'logs':
      return { keys: [...MOVES, ['end', 'follow new lines']], notes: [BARS] };
    default:
      return unreachable(view);
  }
}

const MOVES: readonly HelpLine[] = [
  ['up down j k', 'move'],
  ['pgup pgdn space', 'move by a screen'],
  ['home end', 'go to the first, to the last'],
];
const ACTIONS = panelKeys.map(({ keys, action }): HelpLine => [keys.join(' '), action.summary]);
const BACK: HelpLine = ['q escape ctrl-c', 'back'];
const TOKENS =
  'Tokens: about what the loaded tools of a server cost the model; after a +, its deferred tools (found by search).';
const BARS = 'Rows that begin with | are words of a server or a file, not of Plugboard.';
