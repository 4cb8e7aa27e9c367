import type { TracedMessage } from '../../actions/told.js';
import { isObject } from '../../base/json.js';
import { showLine, showText } from '../../model/show.js';
import { textWidth } from '../terminal/text/text-width.js';
import type { Style } from './style.js';

export interface TraceLooks {
  readonly style: Style;
  readonly columns: number;
  /** The whole message below its line; default: its beginning, as far as the line is wide. */
  readonly isWhole?: boolean;
}

/** A message for people: when, which server, which way, what, how long it took, its size, and its content. */
export function traceLines(traced: TracedMessage, { style, columns, isWhole = false }: TraceLooks): string[] {
  const { ms, server, connection, from, kind, method, id, tookMs, isError, bytes } = traced;
  const who = showLine(connection === undefined ? server : `${server}/${connection}`);
  const facts = [
    showLine(method ?? '?'),
    ...(id === undefined ? [] : [showLine(`#${String(id).slice(0, ID_LENGTH)}`)]),
    ...(kind === 'response' ? [isError === true ? style.red('error') : style.green('ok')] : []),
    ...(tookMs === undefined ? [] : [`${tookMs} ms`]),
    ...(kind === 'event' ? [] : [size(bytes)]),
  ];
  const head = `${style.dim(`+${(ms / 1000).toFixed(3)}`)} ${who} ${arrows[from]} ${facts.join(' ')}`;
  const body = contentOf(traced);
  if (body === undefined) return [head];
  if (isWhole) {
    const text = JSON.stringify(body, undefined, 2);
    return [
      head,
      ...showText(text)
        .split('\n')
        .map((line) => style.dim(`    ${line}`)),
    ];
  }
  const room = columns - textWidth(head) - 3;
  const text = showLine((JSON.stringify(body) ?? '').slice(0, LOOKED_AT));
  if (room < SHORTEST) return [head];
  return [`${head}  ${style.dim(text.length <= room ? text : `${text.slice(0, room - 1)}…`)}`];
}

const arrows = { host: '→', server: '←', pipe: '·' } as const;
const ID_LENGTH = 40; // ids of a server may be of any length
const SHORTEST = 12; // less says nothing
const LOOKED_AT = 4000; // no line shows more

/** What is not in the line already. */
function contentOf({ message }: TracedMessage): unknown {
  if (!isObject(message)) return message;
  const { params, result, error, ...rest } = message;
  if (message['jsonrpc'] === undefined) return Object.keys(rest).length === 0 ? undefined : message;
  return params ?? error ?? result;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
