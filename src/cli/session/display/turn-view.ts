import type { SendEnd, SessionEvent } from '../../../session/index.js';
import { unreachable } from '../../../base/never.js';
import { screenImages } from '../../../actions/calls/screen-images.js';
import type { ContentBlock } from '../../../model/content/content-block.js';
import { printImages } from '../../terminal/images/print-images.js';
import type { Screen } from '../../terminal/screen.js';
import { showLine } from '../../../model/show.js';
import { cutToColumns, textWidth, wrapText } from '../../terminal/text/text-width.js';
import type { CallProgress } from '../../../model/tool.js';
import { ProgressMeter } from '../../output/progress-meter.js';
import { callText, toolText } from './call-lines.js';
import { compactRows } from './compact-lines.js';
import { endRows, usageText } from './end-lines.js';
import { newsRows, modelRetryText, samplingRows } from './notice-lines.js';
import { headRow, noteRows, resultHead, resultRows } from './result-lines.js';
import { AnswerView } from './answer-view.js';
import { type Agent, type ActiveCall, ActivityView } from './activity-view.js';

export interface TurnViewOptions {
  readonly screen: Screen;
  /** Whether the model's reasoning and the cost of the turn are shown. */
  readonly isVerbose?: boolean;
  /** The provider of the model, for people. */
  readonly provider?: string;
  /** Makes an address clickable for the terminal. */
  readonly link?: (url: string) => string;
  readonly now?: () => number;
}

/**
 * One turn of a conversation as it happens. Finished rows are printed and stay; what is under way is at the foot. Any
 * number of events may come: the screen is drawn a few times a second.
 */
export class TurnView implements Disposable {
  readonly #screen: Screen;
  readonly #isVerbose: boolean;
  readonly #provider: string;
  readonly #now: () => number;
  readonly #began: number;
  readonly #words: AnswerView;
  readonly #work = new ActivityView();
  /** Rows that are not printed yet. */
  #rows: string[] = [];
  #section: Section | undefined;
  /** What is streaming. */
  #speech: Speech | undefined;
  #animation: Disposable | undefined;
  #drawn = -Infinity;
  #isOver = false;

  constructor({
    screen,
    isVerbose = false,
    provider = 'the model’s provider',
    link,
    now = () => performance.now(),
  }: TurnViewOptions) {
    this.#screen = screen;
    this.#isVerbose = isVerbose;
    this.#provider = provider;
    this.#now = now;
    this.#began = now();
    this.#words = new AnswerView({ screen, link });
  }

  /** Shows that the model is waited for, until the first event. */
  begin(): void {
    this.#work.do({ kind: 'waiting' }, this.#now());
    this.#touch();
  }

  event(event: SessionEvent): void {
    if (this.#isOver) return;
    this.#take(event);
    this.#touch(event.kind === 'message' || event.kind === 'result');
  }

  /** Prints the finished rows. */
  flush(): void {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) this.#screen.print(rows.join('\n'));
  }

  end(end: SendEnd): void {
    if (this.#isOver) return;
    const ms = this.#now() - this.#began;
    this.#finishWords();
    this.#print('notices', endRows(end, this.#screen));
    const usage = usageText(end, { ms, isWanted: this.#isVerbose });
    const { columns, style } = this.#screen;
    if (usage !== undefined) this.#print('usage', [style.dim(cutToColumns(usage, columns))]);
    this[Symbol.dispose]();
  }

  /** Stops showing the turn, whether it has ended or not. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#finishWords();
    this.flush();
    this.#isOver = true;
    this.#animation?.[Symbol.dispose]();
    this.#screen.show('stream', undefined);
    this.#screen.show('work', undefined);
  }

  #take(event: SessionEvent): void {
    const now = this.#now();
    switch (event.kind) {
      case 'text':
        this.#work.do({ kind: 'speaking' }, now);
        this.#say('words', event.text);
        break;
      case 'reasoning':
        this.#work.do({ kind: 'thinking' }, now);
        if (this.#isVerbose) this.#say('thoughts', event.text);
        break;
      case 'writing-call':
        this.#finishWords();
        this.#work.do({ kind: 'writing-call', name: event.name }, now);
        break;
      case 'message':
        this.#finishWords();
        this.#work.dropForeign();
        this.#work.do({ kind: 'waiting' }, now);
        break;
      case 'call':
        this.#beginCall(event.id, { name: event.name, input: event.input, began: now, by: undefined });
        break;
      case 'progress': {
        const call = this.#work.calls.get(event.id);
        if (call) this.#report(call, event.progress, now);
        break;
      }
      case 'result': {
        const call = this.#endCall(event.result.callId);
        const rows = [resultHead(event.result, call?.input, this.#screen), ...resultRows(event.result, this.#screen)];
        this.#print('calls', rows);
        this.#printImages([...event.result.content, ...(event.result.forUser ?? [])]);
        break;
      }
      case 'provider-call':
        this.#beginCall(event.id, { name: event.name, input: event.input, began: now, by: this.#provider });
        break;
      case 'provider-result':
        this.#endProviderCall(event);
        break;
      case 'news':
        this.#print('notices', newsRows(event.text, this.#screen));
        break;
      case 'retry':
        this.#retry(event);
        break;
      case 'sampling':
        this.#print('notices', samplingRows(event, this.#screen));
        break;
      case 'agent':
        this.#takeOfAgent(event);
        break;
      case 'compacting':
        this.#work.do({ kind: 'compacting' }, now);
        break;
      case 'compacted':
      case 'compact-failed':
        this.#print('notices', compactRows(event, this.#screen));
        this.#work.do({ kind: 'waiting' }, now);
        break;
      case 'results':
      case 'spent':
        break;
      default:
        unreachable(event);
    }
  }

  #say(speech: Speech, text: string): void {
    if (this.#speech !== speech) this.#finishWords();
    this.#speech = speech;
    this.#print(speech, speech === 'words' ? this.#words.say(text) : this.#words.think(text));
  }

  #finishWords(): void {
    if (this.#speech === undefined) return;
    this.#print(this.#speech, this.#words.end());
    this.#speech = undefined;
  }

  #beginCall(id: string, call: ActiveCall): void {
    this.#finishWords();
    this.#work.calls.set(id, call);
    if (this.#screen.isPlain) {
      this.#print('calls', [`${CALLING}${callText(call.name, call.input, this.#screen.columns - CALLING.length)}`]);
    }
  }

  #report(call: ActiveCall, progress: CallProgress, now: number): void {
    const ms = now - call.began;
    call.meter ??= new ProgressMeter();
    call.meter.take(progress, ms);
    if (!this.#screen.isPlain || ms - (call.toldAt ?? -Infinity) < TELL_MS) return;
    call.toldAt = ms;
    const parts = call.meter.parts(ms, { isWide: false });
    if (parts.length > 0)
      this.#print('calls', wrapText(`${toolText(call.name)}: ${parts.join(', ')}`, this.#screen.columns, 2));
  }

  #endCall(id: string): ActiveCall | undefined {
    const call = this.#work.calls.get(id);
    this.#work.calls.delete(id);
    if (this.#work.calls.size === 0) this.#work.do({ kind: 'waiting' }, this.#now());
    return call;
  }

  #endProviderCall({ id, name, isError }: Extract<SessionEvent, { kind: 'provider-result' }>): void {
    const call = this.#endCall(id);
    const { style, columns } = this.#screen;
    const paint = isError ? style.red : style.green;
    const facts = `${isError ? 'failed' : 'ok'}, run by ${this.#provider}`;
    this.#finishWords();
    this.#print('calls', [
      headRow({ sign: paint(isError ? '✘' : '✔'), name, input: call?.input ?? {}, facts }, columns),
    ]);
  }

  #retry({ attempt, afterMs, reason }: Extract<SessionEvent, { kind: 'retry' }>): void {
    const retry = { provider: this.#provider, attempt, afterMs, reason };
    this.#work.do({ kind: 'retry', retry }, this.#now());
    if (this.#screen.isPlain) this.#print('notices', wrapText(modelRetryText(retry), this.#screen.columns, 2));
  }

  /** Shows a sub-agent's calls and their number; its text is for the model that started it. */
  #takeOfAgent({ callId, agent: name, event }: Extract<SessionEvent, { kind: 'agent' }>): void {
    const parent = this.#work.calls.get(callId);
    if (!parent) return;
    const agent: Agent = (parent.agent ??= { name, calls: new Map(), count: 0, tokens: 0 });
    if (event.kind === 'message') agent.tokens += event.usage.input + event.usage.output;
    else if (event.kind === 'call') {
      agent.count++;
      agent.calls.set(event.id, { name: event.name, input: event.input, began: this.#now(), by: undefined });
    } else if (event.kind === 'result') {
      const { columns, style } = this.#screen;
      const label = cutToColumns(showLine(name), Math.floor(columns / 4));
      const input = agent.calls.get(event.result.callId)?.input;
      agent.calls.delete(event.result.callId);
      const head = resultHead(event.result, input, { style, columns: columns - textWidth(label) - 3 });
      const notes = noteRows(event.result, { style, columns: columns - 2 });
      this.#print('calls', [`  ${style.dim(label)} ${head}`, ...notes.map((row) => `  ${row}`)]);
    }
  }

  #printImages(content: readonly ContentBlock[]): void {
    if (this.#screen.isPlain || content.every(({ type }) => type !== 'image')) return;
    this.flush();
    printImages(this.#screen, screenImages(content));
  }

  /** Puts a blank row between text, calls and notices. */
  #print(section: Section, rows: readonly string[]): void {
    if (rows.length === 0) return;
    if (this.#section !== undefined && this.#section !== section && rows[0] !== '') this.#rows.push('');
    this.#section = section;
    for (const row of rows) this.#rows.push(row);
  }

  #touch(isUrgent = false): void {
    if (this.#screen.isPlain) {
      this.flush();
      return;
    }
    this.#animation ??= this.#screen.animate(() => this.#drawSoon());
    if (isUrgent) this.#draw();
    else this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#now() - this.#drawn >= DRAW_MS) this.#draw();
  }

  #draw(): void {
    if (this.#isOver) return;
    this.#drawn = this.#now();
    this.flush();
    const { rows } = this.#screen;
    const work = this.#work.rows(this.#screen, this.#drawn);
    const coming = this.#words.rest;
    const room = Math.max(rows - work.length - ROWS_LEFT, ROWS_AT_LEAST);
    const isNew = coming.length > 0 && this.#section !== undefined && this.#section !== this.#speech;
    this.#screen.show('stream', [...(isNew ? [''] : []), ...coming].slice(-room));
    this.#screen.show('work', work);
  }
}

type Speech = 'words' | 'thoughts';
type Section = Speech | 'calls' | 'notices' | 'usage';
const CALLING = 'Calling ';
const TELL_MS = 5_000; // on a screen that cannot redraw, a line more often would be read aloud without an end
const DRAW_MS = 80; // more often is not visible
const ROWS_LEFT = 4; // for the status, the prompt and one printed row
const ROWS_AT_LEAST = 3;
