import type { JsonObject } from '../../../base/json.js';
import type { CallResult } from '../../../index.js';
import type { HostError } from '../../../base/errors.js';
import { parseUrl } from '../../../base/parse-url.js';
import { nameWord, shellWord } from '../../../base/shell-word.js';
import { unreachable } from '../../../base/never.js';
import type { SavedFile } from '../../../model/tool.js';
import { gateText } from '../../../model/text/text-gate.js';
import { showLine } from '../../../model/show.js';
import type { Style } from '../../output/style.js';
import type { Screen } from '../../terminal/screen.js';
import { cutToColumns, textWidth, wrapText } from '../../terminal/text/text-width.js';
import { callText, tookText, toMeant, toolText } from './call-lines.js';
import { ownCommands } from '../own-commands.js';

export type ResultLook = Pick<Screen, 'columns' | 'style'>;

interface ResultHead {
  readonly sign: string;
  readonly name: string;
  readonly input: unknown;
  readonly facts: string;
}

/** One row for an ended call: sign, call, outcome, and the time without that for asking the user. */
export function resultHead(result: CallResult, input: unknown, { columns, style }: ResultLook): string {
  const { sign, said, paint } = outcomeOf(result, style);
  const facts = `${said}, ${tookText(Math.max(result.ms - (result.askedMs ?? 0), 0))}`;
  const meant = toMeant(result.calledAs, input);
  const { server, tool } = result;
  const name = server === undefined || tool === undefined ? meant.name : `${server}.${tool}`;
  return headRow({ sign: paint(sign), name, input: meant.input, facts: paint(facts) }, columns);
}

/** Like `resultHead`, for anything with a name, an input and an outcome. */
export function headRow({ sign, name, input, facts }: ResultHead, columns: number): string {
  const room = Math.max(columns - 4 - textWidth(facts), Math.floor(columns / 3));
  return cutToColumns(`${sign} ${callText(name, input, room)}  ${facts}`, columns);
}

/** The rows below: the beginning of the text, what else the result has, and what to do after a failure. */
export function resultRows(result: CallResult, look: ResultLook): string[] {
  const { columns, style } = look;
  const { outcome, content, error, forUser = [], saved } = result;
  const isSaved = saved.length > 0;
  const isPart = isSaved && content.some(({ text }) => typeof text === 'string' && withoutPreface(text) !== text);
  const said = error
    ? []
    : (foundRows(result, look) ?? textRows(contentText(content, isSaved), look, { most: TEXT_ROWS, isPart }));
  const alone = forUser.length > 0 ? textRows(contentText(forUser, false), look, { most: USER_ROWS }) : [];
  const address = error ? undefined : addressOf(result);
  return [
    ...(error ? errorRows(result, error, look) : said),
    ...(alone.length > 0 ? [style.dim('  For you, not for the model:'), ...alone] : []),
    ...(address === undefined ? [] : ['  The whole address:', address]),
    ...saved.map((file) => `  ${savedText(file)}`),
    ...noteRows(result, look),
    ...(outcome === 'unknown' && isOutcomeUnknown(error)
      ? [UNKNOWN].flatMap((text) => wrapText(`  ${text}`, columns, 2))
      : []),
  ];
}

/** Notes on a result: its length, what was removed from it. */
export function noteRows({ notes }: CallResult, { columns, style }: ResultLook): string[] {
  const rows = notes.slice(0, NOTES).map((note) => cutToColumns(`  Note: ${showLine(note)}`, columns));
  if (notes.length > NOTES) rows.push(cutToColumns(`  … and ${notes.length - NOTES} more notes`, columns));
  return rows.map(style.dim);
}

function outcomeOf(
  { outcome, error }: CallResult,
  style: Style,
): { readonly sign: string; readonly said: string; readonly paint: (text: string) => string } {
  switch (outcome) {
    case 'ok':
      return { sign: '✔', said: 'ok', paint: style.green };
    case 'unknown':
      return { sign: '?', said: 'outcome unknown', paint: style.yellow };
    case 'error':
      if (error?.code === 'denied') return { sign: '✘', said: 'not allowed', paint: style.yellow };
      if (error?.code === 'cancelled') return { sign: '✘', said: 'stopped', paint: style.yellow };
      if (error?.code === 'unauthorized') return { sign: '✘', said: 'needs you to sign in', paint: style.yellow };
      return { sign: '✘', said: 'failed', paint: style.red };
    default:
      return unreachable(outcome);
  }
}

/** Whether to add that the call may have run: for a stopped call, and where the error has no hint of its own. */
function isOutcomeUnknown(error: HostError | undefined): boolean {
  return error === undefined || error.code === 'cancelled' || error.hint === undefined;
}

function errorRows({ server }: CallResult, error: HostError, { columns, style }: ResultLook): string[] {
  const { code, message, hint } = error;
  if (code === 'cancelled') return [];
  const step =
    code === 'unauthorized' && server !== undefined
      ? `Sign in: /mcp login ${nameWord(server)}`
      : ownCommands(hint ?? '');
  const rows = wrapText(`  ${showLine(message)}`, columns, 2);
  return [
    ...(rows.length > ERROR_ROWS ? [...rows.slice(0, ERROR_ROWS), '  …'] : rows),
    ...(step === '' || message.includes(step) ? [] : wrapText(`  ${showLine(step)}`, columns, 2).map(style.dim)),
  ];
}

/** Text of a server: each row begins with a bar, so that none can look like one of Plugboard's. */
function textRows(
  text: string,
  { columns, style }: ResultLook,
  {
    most,
    isPart = false,
  }: {
    readonly most: number;
    /** The text is only the beginning; its length is unknown here. */ readonly isPart?: boolean;
  },
): string[] {
  const lines = text.split('\n');
  const rows: string[] = [];
  let used = 0;
  for (; used < lines.length && rows.length < most; used++) {
    const line = lines[used]!.trimEnd();
    if (line === '') continue;
    const room = most - rows.length;
    const wrapped = wrapText(
      cutToColumns(line.replaceAll('\t', '  '), columns * (room + 1)),
      Math.max(columns - BAR.length, 1),
    );
    rows.push(...wrapped.slice(0, room));
    if (wrapped.length > room) rows[rows.length - 1] = cutToColumns(`${rows.at(-1)}…`, columns - BAR.length);
  }
  const rest = lines.slice(used).filter((line) => line.trim() !== '').length;
  const more = isPart ? '…' : `… +${rest} line${rest === 1 ? '' : 's'}`;
  return [...rows, ...(rest > 0 ? [more] : [])].map((row) => style.dim(BAR + row));
}

function contentText(content: readonly JsonObject[], isSaved: boolean): string {
  return content
    .map((block) => blockText(block, isSaved))
    .filter((text) => text !== '')
    .join('\n');
}

function blockText({ type, text, mimeType, data, uri, resource }: JsonObject, isSaved: boolean): string {
  switch (type) {
    case 'text':
      return clean(isSaved ? withoutPreface(String(text)) : String(text));
    case 'image':
    case 'audio':
      return `[${type} ${shortType(mimeType)}, ${sizeText(decodedLength(data))}]`;
    case 'resource_link':
      return `[resource ${word(uri)}]`;
    case 'resource': {
      const inner = (typeof resource === 'object' && resource !== null ? resource : {}) as JsonObject;
      const size = typeof inner['blob'] === 'string' ? `, ${sizeText(decodedLength(inner['blob']))}` : '';
      return [
        `[resource ${word(inner['uri'])}${size}]`,
        ...(typeof inner['text'] === 'string' ? [clean(inner['text'])] : []),
      ].join('\n');
    }
    default:
      return `[a block of type ${word(type)}]`;
  }
}

/** The names of the tools that a search found; their definitions are for the model. */
function foundRows({ name, server, content }: CallResult, { columns, style }: ResultLook): string[] | undefined {
  if (server !== undefined || name !== 'ToolSearch') return undefined;
  const lines = content.flatMap(({ text }) => (typeof text === 'string' ? text.split('\n') : []));
  const names = lines.flatMap((line) => /^\{"name":"([\w-]+)"/u.exec(line)?.[1] ?? []);
  return names.length === 0 ? undefined : [style.dim(cutToColumns(BAR + names.map(toolText).join(', '), columns))];
}

/** The sign-in address: whole and in its own row, to be copied. Without blanks it cannot pass for a sentence. */
function addressOf({ tool, structuredContent }: CallResult): string | undefined {
  if (tool !== AUTHENTICATE || typeof structuredContent !== 'object' || structuredContent === null) return undefined;
  const { url } = structuredContent as { readonly url?: unknown };
  const address = typeof url === 'string' && url.length <= ADDRESS ? parseUrl(url) : undefined;
  return address && /^https?:$/u.test(address.protocol) ? showLine(address.href) : undefined;
}

/** Removes what the model is told before the beginning of a text that was saved to a file. */
function withoutPreface(text: string): string {
  const at = text.startsWith('[') ? text.indexOf(PREFACE_END) : -1;
  return at < 0 ? text : text.slice(at + PREFACE_END.length).replace(/\n…$/u, '');
}

/** The path is never cut: it is there to be copied. */
function savedText({ path, bytes, mimeType }: SavedFile): string {
  const isText = /^text\/|json|xml|yaml|javascript/u.test(mimeType);
  const what = `${shortType(mimeType)}, ${sizeText(bytes)}`;
  return isText ? `Whole result (${what}): less ${showLine(shellWord(path))}` : `Saved (${what}): ${showLine(path)}`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function decodedLength(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function shortType(mimeType: unknown): string {
  return word(mimeType).replace(/^(?:image|audio)\//u, '');
}

function word(value: unknown): string {
  return typeof value === 'string' ? showLine(value.slice(0, WORD)) : 'unknown';
}

function clean(text: string): string {
  return gateText(text, { limit: TEXT_LIMIT }).text;
}

const AUTHENTICATE = 'authenticate'; // Plugboard's tool in place of those of a server that needs a sign-in
const BAR = '  │ ';
const TEXT_ROWS = 4;
const USER_ROWS = 40;
const ERROR_ROWS = 6;
const NOTES = 5;
const WORD = 200;
const ADDRESS = 8_000;
const TEXT_LIMIT = 1_000_000; // characters; lines beyond are not counted
const PREFACE_END = '\nIt begins:\n';
const UNKNOWN = 'The call may have been executed: check before you retry it.';
