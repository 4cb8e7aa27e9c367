import type { ActionContext, ChoiceQuestion } from '../../actions/action-context.js';
import { draw, type Drawing, type ToldRow } from '../../actions/told.js';
import { HostError } from '../../base/errors.js';
import { showLine } from '../../model/show.js';
import { answeredRow, choiceRows, titleRows } from '../dialogs/frame.js';
import { requestRows } from '../approval/approval-text.js';
import { callLine } from '../output/call-line.js';
import { traceLines } from '../output/trace-lines.js';
import { cutForScreen, toRows } from '../output/screen-text.js';
import { findingsLines } from '../output/finding-lines.js';
import { serverListLines } from '../output/server-list.js';
import { serverStatusLines, paintSpans } from '../output/server-view.js';
import { valueTable } from '../output/value-table.js';
import { wrapHint, wrapLine } from '../output/wrap.js';
import type { Screen } from '../terminal/screen.js';
import type { DialogQueue } from './asking.js';
import { quotedRows, ownRows } from './display/quoted-rows.js';
import { mentionOf } from './completion/mention-text.js';
import { ownCommands } from './own-commands.js';

/** What an action uses of a session to ask and to report. */
export interface SessionDialogs {
  readonly screen: Screen;
  readonly asking: DialogQueue;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/** How an action asks and reports on the screen of a session. Each question waits for its turn. */
export function sessionActionContext({ screen, asking, now, signal }: SessionDialogs): ActionContext {
  return {
    now,
    signal,
    ask: (question) => asking.enqueue(() => pose(question, screen, signal), signal),
    onProgress(part) {
      screen.print(draw([part], drawingOn(screen)).join('\n'));
      return true;
    },
  };
}

async function pose<Choice extends string>(
  { title, about, choices, leave, answered }: ChoiceQuestion<Choice>,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<Choice> {
  using block = screen.openBlock();
  block.print([...titleRows(title, screen), ...draw(about, drawingOn(screen))].join('\n'));
  const { meaning, ...left } = leave;
  const offered = meaning === undefined ? choices : [...choices, { ...left, meaning }];
  const keys = offered.map(({ word }) => word.charAt(0));
  const rows = (): string[] =>
    choiceRows(
      offered.map(({ meaning: text }, at) => [keys[at]!, text]),
      screen,
    );
  const byKey = Object.fromEntries(offered.map(({ choice }, at) => [keys[at]!, choice]));
  const words = Object.fromEntries(offered.map(({ choice, word }) => [word, choice]));
  const fold = (choice: Choice): Choice => {
    const { isYes, text } = answered(choice);
    block.fold(answeredRow(isYes, text, screen));
    return choice;
  };
  try {
    return fold(await block.choose<Choice>(rows, { keys: byKey, words, signal }));
  } catch (cause) {
    if (cause instanceof HostError && cause.code === 'cancelled') return fold(leave.choice);
    throw cause;
  }
}

/** `more`: says how to see the rows that are left out. */
export function drawingOn({ columns, style }: Screen, more = ''): Drawing {
  let room = ROWS;
  return {
    sentence: ({ text }) => ownRows(ownCommands(text), columns),
    line: ({ spans }) => wrapLine(ownCommands(paintSpans(spans, style)), columns, 4),
    hint: ({ text }) => wrapHint(ownCommands(text), columns, 4),
    quote: ({ lines }) => lines.flatMap((line) => quotedRows(line, columns)),
    edits: ({ files }) => files.flatMap((file) => ownRows(`File modified: ${file}`, columns).map(style.dim)),
    server: (part) => serverStatusLines(part, { style, columns }).map(ownCommands),
    log: ({ lines, file }) => [...lines.flatMap((line) => quotedRows(line, columns)), style.dim(showLine(file))],
    aside: ({ text, isFailure }) => [isFailure ? style.red(text) : style.dim(text)],
    text: ({ text }) => (text === '' ? [] : [cutForScreen(text)]),
    images: () => [], // drawn after the text, where the terminal can
    table({ heading, rows }) {
      const shown = rows.slice(0, room);
      room -= shown.length;
      const rest = rows.length - shown.length;
      const others = rest > 0 ? [`  … and ${rest} more${more}`] : [];
      return [...(heading === '' ? [] : [style.bold(heading)]), ...toRows(shown.map(toNamed), columns), ...others];
    },
    messages: ({ messages }) => messages.flatMap((one) => traceLines(one, { style, columns })),
    calls: ({ calls }) => calls.map((call) => callLine(call, style)),
    values: (part) => valueTable(part, { style, columns }),
    servers: (part) => serverListLines(part, { style, columns }).map(ownCommands),
    findings: (part) => findingsLines(part, { style, columns }).map(ownCommands),
    request: ({ request }) => requestRows(request, columns),
  };
}

/** Names a resource the way a message mentions it. */
function toNamed([name, about, resource]: ToldRow): readonly [string, string] {
  return [resource ? showLine(mentionOf(resource.server, resource.uri)) : name, about];
}

const ROWS = 200; // more rows scroll by unread
