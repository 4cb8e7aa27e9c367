import type { Done } from '../../actions/action.js';
import { draw, type Drawing, type ToldPart } from '../../actions/told.js';
import { showLine } from '../../model/show.js';
import { describeRequest, requestRows } from '../approval/approval-text.js';
import { exitCodeOf, type Output } from '../io.js';
import { writtenNotes } from '../start/load.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { callLine } from './call-line.js';
import { findingsLines } from './finding-lines.js';
import { forScreen, toRows } from './screen-text.js';
import { serverListLines } from './server-list.js';
import { paintSpans, serverStatusLines } from './server-view.js';
import { screenColumns, styleFor } from './style.js';
import { traceLines } from './trace-lines.js';
import { valueTable } from './value-table.js';
import { wrapHint, wrapLine } from './wrap.js';

/** The result of an action as the outcome of a verb. */
export function toVerbOutcome({ json, told }: Pick<Done, 'json' | 'told'>, run: ProgramRun): Outcome {
  return {
    data: json,
    text: toldLines(told.parts, run).join('\n'),
    notes: writtenNotes(told.notes ?? [], run),
    ...(told.code && { exitCode: exitCodeOf(told.code) }),
    ...(told.isStreamed === true && { isStreamed: true }),
    ...finishOf(told.parts, run),
  };
}

/** Draws the images of a result where the terminal can; a person must be there to see them. */
function finishOf(parts: readonly ToldPart[], { invocation, io }: ProgramRun): Pick<Outcome, 'finish'> {
  const images = parts.flatMap((part) => (part.kind === 'images' ? part.images : []));
  const { openTerminal } = io;
  if (images.length === 0 || !openTerminal || io.isPlain === true || UNSEEN.some((flag) => invocation.has(flag)))
    return {};
  // Looked at last, because `isTerminal` opens stdin.
  if (!io.stdout.isTerminal || !io.stdin.isTerminal) return {};
  return {
    finish: async () => (await import('../terminal/images/draw-images.js')).drawImages(images, openTerminal(), io),
  };
}

const UNSEEN = ['json', 'quiet'];

/** Lines for stdout or another output, as wide as the terminal is. */
export function toldLines(
  parts: readonly ToldPart[],
  { invocation, io }: ProgramRun,
  output: Output = io.stdout,
): string[] {
  const { env, isPlain } = io;
  const style = styleFor(output, { env, isPlain, noColor: invocation.has('no-color') });
  const columns = screenColumns(output);
  const drawing: Drawing = {
    sentence: ({ text }) => [text],
    line: ({ spans }) => wrapLine(paintSpans(spans, style), columns, 4),
    hint: ({ text }) => wrapHint(text, columns, 4),
    quote: ({ lines }) => lines,
    edits: ({ files }) => files.map((file) => `File modified: ${file}`),
    // A line that the terminal wraps itself could be laid out so that a row of it looks like Plugboard's.
    request: ({ request }) => (output.isTerminal ? requestRows(request, columns) : describeRequest(request)),
    aside: () => [],
    text: ({ text }) => [forScreen(text, io)],
    images: () => [], // drawn after the text, where the terminal can
    table: ({ heading, rows }) => [...(heading === '' ? [] : [heading]), ...toRows(rows, columns)],
    log: ({ lines }) => lines.map(showLine),
    messages: ({ messages }) =>
      messages.flatMap((one) => traceLines(one, { style, columns, isWhole: invocation.has('verbose') })),
    calls: ({ calls }) => calls.map((call) => callLine(call, style)),
    values: (part) => valueTable(part, { style, columns }),
    server: (part) => serverStatusLines(part, { style, columns }).map((line) => line.slice(2)),
    servers: (part) => serverListLines(part, { style, columns }),
    findings: (part) => findingsLines(part, { style, columns }),
  };
  return draw(parts, drawing);
}

/**
 * Writes what an action reports while it runs: log lines and calls to stdout, as one JSON object per line with
 * `--json`; everything else to stderr. False when the reader of the stream is gone.
 */
export function writePart(part: ToldPart, run: ProgramRun): boolean {
  const { stdout, stderr } = run.io;
  if (part.kind !== 'log' && part.kind !== 'calls') {
    if (!run.invocation.has('quiet')) for (const line of toldLines([part], run)) stderr.write(`${line}\n`);
    return stderr.isClosed !== true;
  }
  const objects = part.kind === 'log' ? part.lines.map((line) => ({ line: showLine(line) })) : part.calls;
  const lines = run.invocation.has('json') ? objects.map((one) => JSON.stringify(one)) : toldLines([part], run);
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  return stdout.isClosed !== true;
}
