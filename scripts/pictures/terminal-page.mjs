// An HTML page that looks like a terminal window: each run of text at its cell, so that the columns hold in any font.
import { toHex } from './terminal-text.mjs';

/** In CSS pixels; whole device pixels at twice the scale, so that neighbouring backgrounds leave no gap. */
const CELL = { width: 8.5, height: 18 };
const FONT_SIZE = 14;
const PADDING = { x: 18, y: 14 };
const BAR = 34;
const MARGIN = 20;

const theme = {
  behind: '#0e1117',
  window: '#1b1f27',
  bar: '#2a2f3a',
  title: '#9aa4b5',
  foreground: '#d8dee9',
  /** The sixteen colours that a terminal lets its user choose. */
  colours: [
    ['#3b4252', '#ff6b6b', '#6bd968', '#f5c05a', '#6aa9ff', '#d291f0', '#56d4dd', '#d8dee9'],
    ['#7f8a9e', '#ff8f8f', '#8ff08c', '#ffd787', '#8fc0ff', '#e3b5f7', '#85e6ec', '#ffffff'],
  ].flat(),
};

/** `rows`: from `parseTerminalText`. Gives the page, and its size in CSS pixels. */
export function toTerminalPage({ rows, columns, title }) {
  const [wide, high] = [columns * CELL.width, rows.length * CELL.height];
  const size = { width: Math.ceil(wide + 2 * PADDING.x + 2 * MARGIN), height: high + 2 * PADDING.y + BAR + 2 * MARGIN };
  const cells = rows.flatMap((runs, row) => runs.map((run) => toSpan(run, row))).join('\n');
  const html = `<!doctype html>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
  body { margin: 0; background: ${theme.behind}; }
  .window { position: absolute; left: ${MARGIN}px; top: ${MARGIN}px; width: ${wide + 2 * PADDING.x}px;
    height: ${high + 2 * PADDING.y + BAR}px; border-radius: 10px; overflow: hidden; background: ${theme.window};
    box-shadow: 0 3px 14px #0008; }
  .bar { position: relative; height: ${BAR}px; background: ${theme.bar}; color: ${theme.title};
    font: 13px/${BAR}px "DejaVu Sans", sans-serif; text-align: center; }
  .bar i { position: absolute; top: 11px; width: 12px; height: 12px; border-radius: 6px; }
  .screen { position: absolute; left: ${PADDING.x}px; top: ${BAR + PADDING.y}px; color: ${theme.foreground};
    font: ${FONT_SIZE}px/${CELL.height}px "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace;
    font-variant-ligatures: none; }
  .screen span { position: absolute; height: ${CELL.height}px; white-space: pre;
    letter-spacing: calc(${CELL.width}px - 1ch); }
  .screen .drawing { transform: scaleY(${DRAWING_SCALE}); }
</style>
<div class="window">
<div class="bar"><i style="left:14px;background:#ff5f57"></i><i style="left:34px;background:#febc2e"></i><i
  style="left:54px;background:#28c840"></i>${escapeHtml(title)}</div>
<div class="screen">
${cells}
</div></div>
`;
  return { html, size };
}

/** The lines and blocks of a font are lower than a row; these fill their row, so that they meet. */
const DRAWING_SCALE = 1.12;

function toSpan({ text, column, width, style }, row) {
  const [foreground, background] = coloursOf(style);
  const rules = [
    `left:${column * CELL.width}px`,
    `top:${row * CELL.height}px`,
    `width:${width * CELL.width}px`,
    ...(foreground === theme.foreground ? [] : [`color:${foreground}`]),
    ...(background === null ? [] : [`background:${background}`]),
    ...(style.bold ? ['font-weight:bold'] : []),
    ...(style.italic ? ['font-style:italic'] : []),
    ...(style.underline ? ['text-decoration:underline'] : []),
  ];
  const kind = /^[\u2500-\u259F]$/u.test(text) ? ' class="drawing"' : '';
  return `<span${kind} style="${rules.join(';')}">${escapeHtml(text)}</span>`;
}

function coloursOf({ foreground, background, dim, inverse }) {
  const [front, back] = [toColour(foreground) ?? theme.foreground, toColour(background)];
  const [shown, behind] = inverse ? [back ?? theme.window, front] : [front, back];
  return [dim ? mix(shown, behind ?? theme.window) : shown, behind];
}

function toColour(colour) {
  if (typeof colour !== 'number') return colour;
  if (colour < 16) return theme.colours[colour];
  if (colour >= 232) return toHex(Array.from({ length: 3 }, () => 8 + 10 * (colour - 232)));
  const steps = [0, 95, 135, 175, 215, 255];
  const index = colour - 16;
  return toHex([steps[Math.floor(index / 36)], steps[Math.floor(index / 6) % 6], steps[index % 6]]);
}

/** Dim text: between its colour and what is behind it. */
function mix(colour, behind) {
  const other = fromHex(behind);
  return toHex(fromHex(colour).map((part, index) => Math.round(part * 0.6 + other[index] * 0.4)));
}

function fromHex(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
