import type { PermissionQuestion } from '../../index.js';
import { callRisk } from '../../model/permissions/call-risk.js';
import { showExact } from '../../model/show.js';
import { statedLine } from '../../model/stated-hints.js';
import { argumentRows } from '../dialogs/argument-rows.js';
import { type Look, titleRows } from '../dialogs/frame.js';
import type { BlockView } from '../terminal/screen.js';
import { ownRows, quotedRows } from './display/quoted-rows.js';
import { flowRows } from './flow-rows.js';

/** What the user needs to decide about a call. `v` unfolds long arguments and folds them again. */
export class PermissionView implements BlockView {
  readonly #question: PermissionQuestion;
  readonly #look: Omit<Look, 'columns'>;
  #isOpen = false;
  #canUnfold = false;
  /** What was last drawn is printed, with more rows than the screen has. */
  #isPrinted = false;
  /** The first row of the arguments that is shown, where not all of them fit. */
  #from = 0;
  #most = 0;
  #isScrolled = false;
  /** The arguments unfolded. */
  #drawn: { readonly columns: number; readonly rows: readonly string[] } | undefined;

  constructor(question: PermissionQuestion, look: Omit<Look, 'columns'>) {
    this.#question = question;
    this.#look = look;
  }

  /** The word for the key `v`; undefined when everything is shown. */
  unfolding(size: Size): string | undefined {
    if (this.#isOpen) return 'fold long arguments';
    const room = this.#room(this.#isPrinted ? { ...size, rows: Infinity } : size);
    this.#canUnfold = this.#whole(size.columns).length > room + 1;
    return this.#canUnfold ? 'unfold: show all that would be sent' : undefined;
  }

  draw(size: Size): readonly string[] {
    this.#isPrinted = size.rows === Infinity;
    const { head, tail } = this.#around(size);
    return [...head, ...this.#fit(this.#arguments(size), this.#room(size)), ...tail];
  }

  key({ name }: { readonly name: string }): boolean {
    if (name === 'v') {
      if (!this.#isOpen && !this.#canUnfold) return false;
      this.#isOpen = !this.#isOpen;
      this.#from = 0;
      return true;
    }
    const step = STEPS.get(name);
    if (step === undefined || !this.#isScrolled) return false;
    const from = Math.min(Math.max(this.#from + step, 0), this.#most);
    const isMoved = from !== this.#from;
    this.#from = from;
    return isMoved;
  }

  #fit(rows: readonly string[], room: number): readonly string[] {
    this.#isScrolled = this.#isOpen && rows.length > room;
    // Replacing one row by a note would save nothing.
    if (rows.length <= room + 1) return rows;
    if (!this.#isOpen) {
      const end = Math.floor(room / 3);
      const left = rows.length - room + 1;
      return [...rows.slice(0, room - 1 - end), `  … ${left} more rows: v unfolds them`, ...rows.slice(-end)];
    }
    const height = room - 1;
    this.#most = rows.length - height;
    this.#from = Math.min(this.#from, this.#most);
    const to = this.#from + height;
    return [
      ...rows.slice(this.#from, to),
      `  … rows ${this.#from + 1} to ${to} of ${rows.length}: the arrow keys scroll, v folds`,
    ];
  }

  /** Long values are folded where not everything fits. */
  #arguments(size: Size): readonly string[] {
    const all = this.#whole(size.columns);
    if (this.#isOpen || all.length <= this.#room(size) + 1) return all;
    return argumentRows(this.#question.input, { columns: size.columns, style: this.#look.style, isOpen: false });
  }

  #whole(columns: number): readonly string[] {
    if (this.#drawn?.columns === columns) return this.#drawn.rows;
    const rows = argumentRows(this.#question.input, { columns, style: this.#look.style, isOpen: true });
    this.#drawn = { columns, rows };
    return rows;
  }

  #room({ columns, rows }: Size): number {
    if (rows === Infinity) return this.#isOpen ? Infinity : ROWS_PRINTED;
    const { head, tail } = this.#around({ columns, rows });
    const least = this.#question.flow ? ROWS_BESIDE_FLOW : ROWS_AT_LEAST;
    return Math.max(rows - head.length - tail.length - ROWS_BELOW, least);
  }

  #around({ columns, rows }: Size): { readonly head: readonly string[]; readonly tail: readonly string[] } {
    const question = this.#question;
    const { style } = this.#look;
    const own = ownText(question);
    const risk = callRisk(question);
    const paint = style[COLOURS[risk.level]];
    const { reason, change = [], flow } = question;
    return {
      head: [
        ...titleRows('Permission question', { ...this.#look, columns }),
        ...(own === undefined ? callRows(question, columns) : ownRows(own, columns)).map(style.bold),
        ...(own === undefined ? titleOf(question, columns) : []),
        ...(own === undefined ? ownRows(`  ${statedLine(question)}`, columns, 4) : []),
        ...(own === undefined ? ownRows(`  Risk: ${risk.text}`, columns, 4).map(paint) : []),
      ],
      tail: [
        ...ownRows(`  You are asked because ${reason.replace(/\.$/u, '')}`, columns, 4),
        ...(flow ? flowRows(flow, { columns, rows }) : []).map(style.yellow),
        ...change.flatMap((one) => ownRows(`! Changed since you allowed it: ${one}`, columns)).map(style.yellow),
      ],
    };
  }
}

interface Size {
  readonly columns: number;
  readonly rows: number;
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

function titleOf({ tool, title }: PermissionQuestion, columns: number): string[] {
  return title === undefined || title === tool ? [] : quotedRows(`The tool calls itself ${showExact(title)}`, columns);
}

const COLOURS = { low: 'green', medium: 'yellow', high: 'red' } as const;
const ROWS_BELOW = 10; // for the choices, some of them in two rows
const ROWS_AT_LEAST = 8;
const ROWS_BESIDE_FLOW = 3; // what leaves is shown below them
const ROWS_PRINTED = 40; // where nothing can be redrawn
const PAGE = 10;
const STEPS: ReadonlyMap<string, number> = new Map([
  ['down', 1],
  ['up', -1],
  ['pagedown', PAGE],
  ['pageup', -PAGE],
  ['space', PAGE],
  ['home', -Infinity],
  ['end', Infinity],
]);
