// Draws the twelve figures as an SVG: a bar for Plugboard and one for the best peer, each as a multiple of its aim, so
// that one scale fits all. Light and dark, without a script or a font of its own.
const WIDTH = 860;
const LEFT = 330;
const RIGHT = 150;
const ROW = 40;
const TOP = 64;
const BAR = 12;
const MOST = 8; // times the aim: a bar that would be longer ends here, and its number says how far it goes

/** The picture, as text. `list`: see `toSummary`. */
export function toPicture({ date, list }) {
  const height = TOP + list.length * ROW + 34;
  const parts = list.flatMap((one, index) => drawRow(one, TOP + index * ROW));
  const aim = at(1);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">Twelve figures of Plugboard beside their aims and the best peer</title>',
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>`,
    '<text class="head" x="20" y="28">Through the public door, beside its aims and the best peer</text>',
    legend(20, 48),
    `<line class="aim" x1="${aim}" x2="${aim}" y1="${TOP - 4}" y2="${height - 30}"/>`,
    ...parts,
    `<text class="small" x="${aim}" y="${height - 14}" text-anchor="middle">aim</text>`,
    `<text class="small" x="${WIDTH - 20}" y="${height - 14}" text-anchor="end">${date}; shorter is better; logarithmic</text>`,
    '</svg>',
  ].join('\n')}\n`;
}

function legend(x, y) {
  return [
    `<rect class="own" x="${x}" y="${y - 9}" width="10" height="10" rx="2"/>`,
    `<text class="small" x="${x + 16}" y="${y}">Plugboard</text>`,
    `<rect class="peer" x="${x + 90}" y="${y - 9}" width="10" height="10" rx="2"/>`,
    `<text class="small" x="${x + 106}" y="${y}">best peer</text>`,
  ].join('\n');
}

function drawRow({ what, unit, aim, now, best }, y) {
  const text = what.replaceAll('`', '');
  const bars = [`<text class="what" x="20" y="${y + 19}">${escape(text)}</text>`];
  bars.push(bar({ kind: 'own', y: y + 2, ratio: now / aim, label: shown(now, unit) }));
  if (best)
    bars.push(
      bar({
        kind: 'peer',
        y: y + 2 + BAR + 3,
        ratio: best.value / aim,
        label: `${shown(best.value, unit)}  ${best.who}`,
      }),
    );
  return bars;
}

function bar({ kind, y, ratio, label }) {
  const end = at(ratio);
  return [
    `<rect class="${kind}" x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<text class="label ${kind === 'own' ? 'value' : 'small'}" x="${(end + 6).toFixed(1)}" y="${y + 10}">${escape(label)}</text>`,
  ].join('\n');
}

/** Where a multiple of the aim stands: a logarithmic scale from a quarter of the aim on. */
function at(ratio) {
  const least = 1 / 4;
  const share = Math.log(Math.min(Math.max(ratio, least * 1.05), MOST) / least) / Math.log(MOST / least);
  return Number((LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1));
}

/** A figure with its unit, three digits of it. */
export function shown(value, unit) {
  const text = value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  return unit === 'x' ? `${text}x` : `${text} ${unit}`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLE = [
  'text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2328}',
  '.page{fill:#fff}.label{paint-order:stroke;stroke:#fff;stroke-width:4px}.head{font-size:15px;font-weight:600}.small{font-size:11px;fill:#59636e}.value{font-size:11px;font-weight:600}',
  '.own{fill:#0b7a75}.peer{fill:#b8bfc7}.aim{stroke:#c2410c;stroke-width:1.5;stroke-dasharray:3 3}',
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.label{stroke:#0d1117}.small{fill:#9198a1}',
  '.own{fill:#2fb5ad}.peer{fill:#4b535d}.aim{stroke:#f0883e}}',
].join('');
