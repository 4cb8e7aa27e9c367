import { unreachable } from '../../base/never.js';
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

/** What there is to see, whatever is looked at: as of one moment. */
export interface PanelContent {
  readonly data: PanelData;
  /** Of the server that is looked at. */
  readonly detail: DetailData | undefined;
  readonly item: ItemData | undefined;
  readonly request: ApprovalRequest | undefined;
  readonly log: LogContent;
}

export interface LogContent {
  readonly lines: readonly string[];
  /** Where they are kept, or why there are none. */
  readonly about: string;
}

/** All rows of a view, those that do not go into the screen included. Of the table the servers are the rows. */
export interface PanelBody {
  readonly lines: readonly DetailLine[];
  readonly rows: readonly string[];
}

export function toBody(view: View, content: PanelContent, columns: number): PanelBody {
  switch (view.kind) {
    case 'table':
      return EMPTY;
    case 'detail':
      return content.detail
        ? { lines: detailLines(content.detail, { columns, closed: view.closed }), rows: [] }
        : EMPTY;
    case 'item':
      return { lines: [], rows: content.item ? itemRows(content.item, columns) : [] };
    case 'approve':
      return { lines: [], rows: content.request ? requestRows(content.request, columns) : [] };
    case 'logs':
      return { lines: [], rows: content.log.lines.flatMap((line) => quotedRows(line, columns)) };
    case 'help':
      return { lines: [], rows: helpRows(columns) };
    default:
      return unreachable(view);
  }
}

/** What it is made of: as long as these are the same, so is the body. */
export function bodyKeys(view: View, content: PanelContent, columns: number): readonly unknown[] {
  const { detail, item, request, log } = content;
  return [view.kind, columns, view.kind === 'detail' ? view.closed : undefined, detail, item, request, log];
}

/** What the file says stands behind bars, what we say to it does not. */
function requestRows(request: ApprovalRequest, columns: number): string[] {
  return describeRequest(request).flatMap((line) =>
    line.startsWith('=> ') ? ownRows(line, columns, 3) : quotedRows(line, columns),
  );
}

const EMPTY: PanelBody = { lines: [], rows: [] };
