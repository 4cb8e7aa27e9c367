import type { ActionContext, ChoiceQuestion } from '../../actions/action-context.js';
import { draw, type Drawing, type ToldRow } from '../../actions/told.js';
import { HostError } from '../../base/errors.js';
import { showLine } from '../../model/show.js';
import { describeRequest } from '../approval/approval-text.js';
import { callLine } from '../output/call-line.js';
import { cutForScreen, toRows } from '../output/screen-text.js';
import { findingsLines } from '../output/finding-lines.js';
import { serverListLines } from '../output/server-list.js';
import { serverStatusLines, paintSpans } from '../output/server-view.js';
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
  { title, about, choices, leave }: ChoiceQuestion<Choice>,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<Choice> {
  const { style, columns } = screen;
  screen.print(['', ...ownRows(title, columns).map(style.bold), ...draw(about, drawingOn(screen))].join('\n'));
  const { meaning, ...left } = leave;
  const offered = meaning === undefined ? choices : [...choices, { ...left, meaning }];
  const keys = offered.map(({ word }) => word.charAt(0));
  const rows = offered.flatMap(({ meaning: text }, at) => ownRows(`  ${keys[at]}  ${text}`, columns, 5));
  const byKey = Object.fromEntries(offered.map(({ choice }, at) => [keys[at]!, choice]));
  try {
    return await screen.choose<Choice>([...rows, `${keys.join('/')}: `], { keys: byKey, signal });
  } catch (cause) {
    if (cause instanceof HostError && cause.code === 'cancelled') return leave.choice;
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
    edits: ({ files }) => files.map((file) => style.dim(showLine(`File modified: ${file}`))),
    server: (part) => serverStatusLines(part, { style, columns }).map(ownCommands),
    log: ({ lines, file }) => [...lines.flatMap((line) => quotedRows(line, columns)), style.dim(showLine(file))],
    aside: ({ text, isFailure }) => [isFailure ? style.red(text) : style.dim(text)],
    text: ({ text }) => (text === '' ? [] : [cutForScreen(text)]),
    table({ heading, rows }) {
      const shown = rows.slice(0, room);
      room -= shown.length;
      const rest = rows.length - shown.length;
      const others = rest > 0 ? [`  … and ${rest} more${more}`] : [];
      return [...(heading === '' ? [] : [style.bold(heading)]), ...toRows(shown.map(toNamed), columns), ...others];
    },
    calls: ({ calls }) => calls.map((call) => callLine(call, style)),
    servers: (part) => serverListLines(part, { style, columns }).map(ownCommands),
    findings: (part) => findingsLines(part, { style, columns }).map(ownCommands),
    request({ request }) {
      const [heading = '', ...lines] = describeRequest(request);
      return [
        ...ownRows(heading, columns),
        ...lines.flatMap((line) => (line.startsWith(OURS) ? ownRows(line, columns, 3) : quotedRows(line, columns))),
      ];
    },
  };
}

/** Names a resource the way a message mentions it. */
function toNamed([name, about, resource]: ToldRow): readonly [string, string] {
  return [resource ? showLine(mentionOf(resource.server, resource.uri)) : name, about];
}

const ROWS = 200; // more rows scroll by unread
const OURS = '=> '; // cannot be forged: lines of an entry are indented
