import { toContent } from '../../model/elicitation/check-field.js';
import type { Field, Form } from '../../model/elicitation/form.js';
import { readFieldAnswer } from '../../model/elicitation/read-answer.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { Io } from '../io.js';
import type { BlockPart } from '../terminal/screen.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { showLine } from '../../model/show.js';
import { describeField, helpFor, showPreset, showValue, wantedOf } from './field-text.js';
import { elicitationRows, firstQuotedRows, type Look, markedRows } from './frame.js';

export interface DialogParts {
  readonly io: Pick<Io, 'stdin' | 'stderr'>;
  readonly look: Look;
  readonly signal: AbortSignal;
  /** Begins a part that can be replaced. Absent where nothing can be redrawn. */
  readonly begin?: () => BlockPart;
}

/**
 * Asks for a form line by line. It works on any terminal and with a screen reader; where the terminal can be redrawn, an
 * answered field is folded to one row, so that a long form does not outgrow the screen. Rejects with `cancelled` when
 * the user leaves or the signal aborts.
 */
export async function askForm(question: Elicitation, parts: DialogParts): Promise<ElicitationReply> {
  const { form = NO_FIELDS } = question;
  const { stderr } = parts.io;
  const write = (lines: readonly string[]): void => stderr.write(`${lines.join('\n')}\n`);
  const { begin = () => UNCHANGING } = parts;
  const whole = begin();
  const head = elicitationRows(question, 'asks you something', parts.look);
  write(head);
  const { secretFields = [] } = question;
  if (secretFields.length > 0) {
    const typed = await parts.io.stdin.ask('Fill in the form anyway? [y]es, [N]o (decline): ', parts.signal);
    if (!['y', 'yes'].includes(typed.trim().toLowerCase())) return DECLINE;
  }
  if (form.fields.length > 0)
    write(['Nothing is sent until you confirm it. ? helps, :decline says no, Ctrl-C leaves.']);
  const filling = new Filling(form, { secrets: new Set(secretFields), begin });
  for (;;) {
    const reply = await fill(filling, parts, write);
    if (reply !== 'filled') return reply;
    // The summary has all values.
    whole.settle(head);
    const shown = begin();
    write(summary(question, filling, parts));
    const answer = await choose('Send? [y]es, [n]o (decline)', form.fields.length > 0, parts);
    if (answer === 'yes') return { action: 'accept', content: toContent(form, filling.values) };
    if (answer === 'no') return DECLINE;
    if (answer === 'cancel') return CANCEL;
    shown.remove();
    filling.back();
  }
}

/** The user's place in a form and the values entered so far. */
class Filling {
  readonly values = new Map<string, unknown>();
  readonly secrets: ReadonlySet<string>;
  readonly fields: readonly Field[];
  at = 0;
  readonly #begin: () => BlockPart;
  /** By field: what is shown of it. */
  readonly #shown: BlockPart[] = [];

  constructor(
    { fields }: Form,
    { secrets, begin }: { readonly secrets: ReadonlySet<string>; readonly begin: () => BlockPart },
  ) {
    this.fields = fields;
    this.secrets = secrets;
    this.#begin = begin;
  }

  /** Goes to the previous field; false at the first one. */
  back(): boolean {
    if (this.at === 0) return false;
    this.at--;
    this.#shown[this.at]?.remove();
    return true;
  }

  /** What is written from here on is about the present field. */
  begin(): void {
    this.#shown[this.at] = this.#begin();
  }

  answer(field: Field, value: unknown, columns: number): void {
    this.values.set(field.name, value);
    const [row = ''] = firstQuotedRows(this.valueText(field), Infinity, '  ');
    this.#shown[this.at]?.settle([cutToColumns(row, columns - 1)]);
    this.at++;
  }

  valueText(field: Field): string {
    const value = this.values.get(field.name);
    const shown = this.secrets.has(field.name) && value !== undefined ? '(not shown)' : showValue(field, value);
    return `${field.label}: ${shown}`;
  }

  /** The value that Enter alone takes. A secret has none: it is never filled in or shown. */
  presetOf(field: Field): unknown {
    if (this.secrets.has(field.name)) return undefined;
    return this.values.has(field.name) ? this.values.get(field.name) : field.default;
  }
}

async function fill(
  filling: Filling,
  { io, look, signal }: DialogParts,
  write: (lines: readonly string[]) => void,
): Promise<ElicitationReply | 'filled'> {
  const { fields, secrets } = filling;
  let told: Field | undefined;
  for (let field = fields[filling.at]; field; field = fields[filling.at]) {
    if (told !== field) {
      filling.begin();
      write(describeField(field, { at: filling.at, count: fields.length, columns: look.columns }));
    }
    told = field;
    const preset = filling.presetOf(field);
    const brackets = preset === undefined ? '' : ` [${showPreset(field, preset)}]`;
    const prompt = `${wantedOf(field)}${brackets}: `;
    const typed = await (secrets.has(field.name) ? io.stdin.askSecret(prompt, signal) : io.stdin.ask(prompt, signal));
    switch (typed.trim().toLowerCase()) {
      case ':decline':
        return DECLINE;
      case ':cancel':
        return CANCEL;
      case ':back':
        if (!filling.back()) write(['This is the first field.']);
        continue;
      case ':skip':
        if (field.isRequired) write(['This field is required. :decline says no to the whole form.']);
        else filling.answer(field, undefined, look.columns);
        continue;
      case '?':
      case ':help':
        write(helpFor(field, look.columns));
        continue;
      default:
    }
    if (/^\s*:[a-z]+\s*$/iu.test(typed)) {
      write([`There is no command ${showLine(typed.trim())}: ? lists the commands.`]);
      continue;
    }
    const answer = readFieldAnswer(field, typed.replace(/^\\(?=\\*[:?])/u, ''));
    if (answer.kind === 'wrong') write(markedRows(`Not yet: ${answer.why}`, look.columns));
    else if (answer.kind === 'value') filling.answer(field, answer.value, look.columns);
    else if (preset !== undefined || !field.isRequired) filling.answer(field, preset, look.columns);
    else write(['Not yet: this field is required. :decline says no to the whole form.']);
  }
  return 'filled';
}

function summary({ server }: Elicitation, filling: Filling, { look }: DialogParts): string[] {
  const { fields } = filling;
  if (fields.length === 0) return ['', 'The form has no fields: the server only wants your yes.'];
  return [
    '',
    `This would be sent to "${showLine(server)}":`,
    ...fields.flatMap((field) => firstQuotedRows(filling.valueText(field), look.columns, '  ')),
  ];
}

async function choose(
  question: string,
  canGoBack: boolean,
  { io, signal }: DialogParts,
): Promise<'yes' | 'no' | 'back' | 'cancel'> {
  for (;;) {
    const typed = await io.stdin.ask(`${question}${canGoBack ? ', [b]ack' : ''}: `, signal);
    const word = typed.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return 'yes';
    if (word === 'n' || word === 'no' || word === ':decline') return 'no';
    if (word === ':cancel') return 'cancel';
    if (canGoBack && ['b', 'back', ':back'].includes(word)) return 'back';
    io.stderr.write('y sends it, n declines, Ctrl-C leaves without an answer\n');
  }
}

const UNCHANGING: BlockPart = { settle() {}, remove() {} };
const NO_FIELDS: Form = { kind: 'form', fields: [] };
const DECLINE: ElicitationReply = { action: 'decline' };
const CANCEL: ElicitationReply = { action: 'cancel' };
