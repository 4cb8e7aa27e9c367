import { shorten } from '../../base/shorten.js';

/**
 * The most informative line of a server's stderr: the first of those that look most like an error, else the last line.
 * Empty when there is no line.
 */
export function mostInformativeLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !FRAME.test(line));
  let best = lines.at(-1) ?? '';
  let most = 0;
  for (const line of lines) {
    const weight = weightOf(line);
    if (weight <= most) continue;
    best = line;
    most = weight;
  }
  return shorten(best, LINE_LIMIT);
}

function weightOf(line: string): number {
  const said = line.slice(0, LINE_LIMIT).replaceAll(NO_ERROR, '');
  if (HARMLESS.test(said)) return 0;
  if (NAMED.test(said)) return 3;
  if (WORD.test(said)) return 2;
  return FAILURE.test(said) ? 1 : 0;
}

const LINE_LIMIT = 300;
/** Lines that say where an error occurred, not what it is, and the lines around them. */
const FRAME =
  /^(?:at |File "|node:internal\/|file:\/\/\S+:\d+$|\/\S+:\d+$|throw |Node\.js v|\^+$|~*\^+~*$|Traceback |stack backtrace|goroutine \d|npm (?:error|ERR!) A complete log|… \[truncated\]$|[\]})]+[,;]?$)/u;
/** Lines that mention errors without being one. */
const HARMLESS = /\b(?:warn(?:ing)?|deprecat\w*|debug|trace|info|notice)\b(?!\S*error)/iu;
const NO_ERROR =
  /\b(?:no|0|without(?: any)?|zero) (?:errors?|failures?|problems?)\b|\berror[-_ ]?(?:handler|log|level|reporting|page)\w*/giu;
/** `TypeError: ...`, `error: ...`, `FATAL ...`, `panic: ...`, `npm error ...`, `[ERROR] ...`. */
const NAMED =
  /^(?:Uncaught |Unhandled |thread '[^']*' )?(?:[\w.]*(?:Error|Exception)\b(?: \[\w+\])?[:(]|\[?(?:error|fatal|panic|critical)\]?\b|npm (?:error|ERR!))|\bpanicked at\b|\b(?:ERROR|FATAL|CRITICAL|PANIC)\b|\berror(?:\[\w+\])?:/u;
const WORD = /\b(?:error|exception|fatal|failed|failure|panic)\b|\bE[A-Z]{4,}\b/iu;
const FAILURE =
  /\b(?:cannot|can't|could not|unable|not found|no such|denied|refused|missing|invalid|required|unknown|unexpected|not set|not installed|must|expired|unauthorized|forbidden)\b/iu;
