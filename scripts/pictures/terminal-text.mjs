// Reads what a terminal shows, as text with escape sequences (`tmux capture-pane -e`), into rows of styled runs.

const PLAIN = Object.freeze({
  foreground: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
});

/**
 * Gives `{ text, column, width, style }` for each run of a row. A letter that is not ASCII is a run of its own, because
 * the font that has it may have another width. A colour is null (the terminal's own), a number of the palette
 * (0 to 255) or `#rrggbb`.
 */
export function parseTerminalText(text) {
  let style = PLAIN;
  return text.split(/\r?\n/u).map((line) => {
    const runs = [];
    let column = 0;
    for (const [piece] of line.matchAll(PIECES)) {
      if (piece.startsWith('\u001B')) {
        const [, parameters] = SGR.exec(piece) ?? [];
        if (parameters !== undefined) style = withParameters(style, parameters);
        continue;
      }
      for (const part of /^[\u0020-\u007E]/u.test(piece) ? [piece] : graphemesOf(piece)) {
        const width = cellsOf(part);
        if (width > 0) runs.push({ text: part, column, width, style });
        column += width;
      }
    }
    return runs;
  });
}

/** Printable ASCII; what is not ASCII; CSI, OSC and other escape sequences. Other control characters match nothing. */
const PIECES =
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with one
  /[\u0020-\u007E]+|[^\u0000-\u007F]+|\u001B\[[\u0020-\u003F]*[\u0040-\u007E]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\u001B[\u0020-\u002F]*[\u0030-\u007E]/gu;
// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const SGR = /^\u001B\[([\d;:]*)m$/u;

function graphemesOf(text) {
  return Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);
}

/** East Asian wide letters and emoji take two cells; a mark without a letter takes none. */
function cellsOf(text) {
  if (/^[\u0020-\u007E]*$/u.test(text)) return text.length;
  if (/^[\p{M}\p{Cf}]+$/u.test(text)) return 0;
  return WIDE.test(text) ? 2 : 1;
}

const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}|\uFE0F/u;

/** Select Graphic Rendition (ECMA-48 8.3.117), with the colours of ISO 8613-6 in both spellings: 38;5;N and 38:5:N. */
function withParameters(style, parameters) {
  let next = { ...style };
  const queue = parameters.split(';');
  while (queue.length > 0) {
    const [first, ...details] = queue.shift().split(':');
    const code = Number(first);
    if (code in COLOURED) {
      const colour = details.length > 0 ? readColour(details) : takeColour(queue);
      if (colour !== undefined && COLOURED[code] !== null) next[COLOURED[code]] = colour;
    } else if (code === 0) next = { ...PLAIN };
    else if (code === 4) next.underline = details[0] !== '0';
    else if (code in SWITCHES) Object.assign(next, SWITCHES[code]);
    else if (code >= 30 && code <= 37) next.foreground = code - 30;
    else if (code >= 40 && code <= 47) next.background = code - 40;
    else if (code >= 90 && code <= 97) next.foreground = code - 90 + 8;
    else if (code >= 100 && code <= 107) next.background = code - 100 + 8;
  }
  return next;
}

/** The colour of an underline is left out. */
const COLOURED = { 38: 'foreground', 48: 'background', 58: null };

const SWITCHES = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  7: { inverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: null },
  49: { background: null },
};

/** Takes the parameters of a colour off the queue. */
function takeColour(queue) {
  const kind = queue.shift();
  return readColour([kind, ...queue.splice(0, kind === '2' ? 3 : 1)]);
}

/** `5, N`, or `2, R, G, B`, where a colour space may stand before R. Undefined for anything else. */
function readColour([kind, ...values]) {
  const numbers = (kind === '2' ? values.slice(-3) : values.slice(0, 1)).map(Number);
  if (numbers.some((number) => !Number.isInteger(number) || number < 0 || number > 255)) return undefined;
  if (kind === '5' && numbers.length === 1) return numbers[0];
  if (kind === '2' && numbers.length === 3) return toHex(numbers);
  return undefined;
}

export function toHex(numbers) {
  return `#${numbers.map((number) => number.toString(16).padStart(2, '0')).join('')}`;
}
