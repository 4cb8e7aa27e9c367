import type { Host } from '../../index.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { Style } from '../output/style.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { toPanelData } from './panel-data.js';
import { emptyRows, headingRow, layTable, serverRows, summaryRow } from './table-rows.js';
import { budgetRow } from './tokens/budget-rows.js';
import { ContextCost } from './tokens/context-cost.js';

export interface PanelTableOptions {
  readonly columns: number;
  readonly style: Style;
  /** What `/cost` shows. */
  readonly cost?: () => CostReport;
}

/** The table of the panel as plain lines, for a terminal that cannot be drawn on. */
export function panelTable(host: Host, { columns, style, cost }: PanelTableOptions): readonly string[] {
  using tokens = new ContextCost({ host, cost, onCounted: () => {} });
  tokens.countNow();
  const data = toPanelData({ host, tokens, doing: new Map() });
  if (data.servers.length === 0) return emptyRows(0, columns);
  const layout = layTable(data, columns);
  return [
    summaryRow(data, columns),
    ...(data.cost ? [budgetRow(data.cost, columns)] : []),
    style.dim(cutToColumns(headingRow(layout), columns)),
    ...data.servers.flatMap((server) => serverRows(server, { layout, width: columns, style, isSelected: false })),
  ];
}
