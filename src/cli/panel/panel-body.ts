import { unreachable } from '../../base/never.js';
import { showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import { type FormRows, formRows } from './call/form-rows.js';
import { callRows } from './call/call-rows.js';
import { budgetRows } from './tokens/budget-rows.js';
import type { CallContent } from './call/panel-call.js';
import type { ApprovalRequest } from '../../actions/told.js';
import { describeRequest } from '../approval/approval-text.js';
import { quotedRows, ownRows } from '../session/display/quoted-rows.js';
import type { DetailData } from './detail-data.js';
import { type DetailLine, detailLines } from './detail-lines.js';
import { helpRows } from './help-rows.js';
import type { ItemData } from './item-data.js';
import { itemRows } from './item-rows.js';
import type { PanelData } from './panel-data.js';
import type { View } from './panel-state.js';

/** Everything that a view may show, at one moment. */
export interface PanelContent {
  readonly data: PanelData;
  /** Of the server that is open. */
  readonly detail: DetailData | undefined;
  readonly item: ItemData | undefined;
  readonly call: CallContent | undefined;
  readonly request: ApprovalRequest | undefined;
  readonly log: LogContent;
}

export interface LogContent {
  readonly lines: readonly string[];
  /** The file of the log, or why there are no lines. */
  readonly about: string;
}

/** All rows of a view, also those that do not fit on the screen. Empty for the table, whose rows are the servers. */
export interface PanelBody {
  readonly lines: readonly DetailLine[];
  readonly rows: readonly string[];
  /** The rows that must be on the screen. */
  readonly focus?: FormRows['focus'];
}

export interface BodyLook {
  readonly columns: number;
  readonly style: Style;
}

export function toBody(view: View, content: PanelContent, { columns, style }: BodyLook): PanelBody {
  const look = { columns, tokens: content.detail?.server.tokens?.tools };
  switch (view.kind) {
    case 'table':
      return EMPTY;
    case 'detail':
      return content.detail ? { lines: detailLines(content.detail, { columns, ...view }), rows: [] } : EMPTY;
    case 'item':
      return { lines: [], rows: content.item ? itemRows(content.item, look) : [] };
    case 'call': {
      const { item } = content;
      if (item?.kind !== 'tool') return { lines: [], rows: item ? itemRows(item, look) : [] };
      const tool = showLine(`${item.tool.server}.${item.tool.tool}`);
      return { lines: [], ...formRows(view.form, item.fields, { columns, style, tool }) };
    }
    case 'result':
      return { lines: [], rows: content.call ? callRows(content.call, columns) : [] };
    case 'picture':
      return EMPTY;
    case 'budget':
      return { lines: [], rows: budgetRows(content.data.cost, columns) };
    case 'approve':
      return { lines: [], rows: content.request ? requestRows(content.request, columns) : [] };
    case 'logs':
      return { lines: [], rows: content.log.lines.flatMap((line) => quotedRows(line, columns)) };
    case 'help':
      return { lines: [], rows: helpRows(view.back.kind, columns) };
    default:
      return unreachable(view);
  }
}

/** What the body is computed from: while these values are equal, so is the body. */
export function bodyKeys(view: View, content: PanelContent, columns: number): readonly unknown[] {
  const { detail, item, request, log, call } = content;
  const cost = view.kind === 'budget' ? content.data.cost : undefined;
  const own = view.kind === 'detail' ? [view.closed, view.filter, view.sort] : [view.kind === 'call' && view.form];
  return [view.kind, columns, detail, item, request, log, call, cost, ...own];
}

/** The text of the file stands behind bars, Plugboard's own lines do not. */
function requestRows(request: ApprovalRequest, columns: number): string[] {
  return describeRequest(request).flatMap((line) =>
    line.startsWith('=> ') ? ownRows(line, columns, 3) : quotedRows(line, columns),
  );
}

const EMPTY: PanelBody = { lines: [], rows: [] };
