import type { Host } from '../../index.js';
import type { Style } from '../output/style.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { toPanelData } from './panel-data.js';
import { emptyText, headingRow, layTable, serverRows, summaryRow } from './table-rows.js';
import { TokenCounts } from './token-counts.js';

/** The table of the panel as plain lines, for a terminal that cannot be drawn on. */
export function panelTable(
  host: Host,
  { columns, style }: { readonly columns: number; readonly style: Style },
): readonly string[] {
  using tokens = new TokenCounts({ host, onCounted: () => {} });
  tokens.countFor(COUNT_MS);
  const data = toPanelData({ host, tokens, doing: new Map() });
  if (data.servers.length === 0) return [emptyText(0)];
  const layout = layTable(data, columns);
  return [
    summaryRow(data, columns),
    style.dim(cutToColumns(headingRow(layout), columns)),
    ...data.servers.flatMap((server) => serverRows(server, { layout, width: columns, style, isSelected: false })),
  ];
}

const COUNT_MS = 100; // longest wait for the table; tokens that are not counted by then are left open
