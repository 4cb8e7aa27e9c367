import { unreachable } from '../../base/never.js';
import { cutToColumns, textWidth } from '../terminal/text/text-width.js';
import type { PanelBody, PanelContent } from './panel-body.js';
import { currentServer, detailLineIndex, type PanelState } from './panel-state.js';
import { isMisfit } from './call/call-rows.js';
import { isOffered, panelKeys } from './action-keys.js';

/** The keys that work now: those of the selection as far as they fit, and always how to get back. */
export function keysRow(
  state: PanelState,
  { content, body }: { readonly content: PanelContent; readonly body: PanelBody },
  columns: number,
): string {
  const { own, always } = keysOf(state, content, body);
  const end = always.join(GAP);
  let row = '';
  for (const key of own) {
    if (textWidth(`${row}${key}${GAP}${end}`) > columns) break;
    row += `${key}${GAP}`;
  }
  return cutToColumns(`${row}${end}`, columns);
}

const GAP = '  ';

interface Keys {
  readonly own: readonly string[];
  readonly always: readonly string[];
}

function keysOf(state: PanelState, content: PanelContent, body: PanelBody): Keys {
  const { view, table } = state;
  switch (view.kind) {
    case 'table':
      if (table.isTyping) return { own: ['enter keep'], always: ['esc all'] };
      return {
        own: [
          ...(currentServer(state, content.data) ? ['enter open'] : []),
          ...actionKeys(state, content),
          '/ filter',
          's sort',
          't tokens',
          'f problems',
        ],
        always: ['? help', 'q back'],
      };
    case 'detail': {
      const target = body.lines[detailLineIndex(body.lines, view)]?.target;
      if (view.isTyping) return { own: ['enter keep'], always: ['esc all'] };
      const enter = target ? [target.kind === 'section' ? 'enter open/close' : 'enter more'] : [];
      const call = target?.kind === 'item' && target.item.kind === 'tool' ? ['c call'] : [];
      const others = ['tab section', '/ filter', 's sort'];
      return { own: [...enter, ...call, ...actionKeys(state, content), ...others], always: ['? help', 'q back'] };
    }
    case 'approve':
      return { own: ['y let it run', 'n no', 'space read on', '? help'], always: ['esc later'] };
    case 'call':
      return { own: ['ctrl-r call', 'tab next', 'ctrl-o copy', 'f1 help'], always: ['esc back'] };
    case 'result': {
      if (content.call?.kind === 'running') return { own: ['? help'], always: ['esc stop'] };
      const images = content.call?.kind === 'done' && content.call.images.length > 0 ? ['v image'] : [];
      const force = isMisfit(content.call) ? ['f send as it is'] : [];
      return { own: [...images, ...force, 'y copy as a command', 'r again', 'up/down'], always: ['? help', 'q back'] };
    }
    case 'budget':
      return { own: ['up/down'], always: ['? help', 'q back'] };
    case 'picture':
      return { own: ['left/right'], always: ['? help', 'q back'] };
    case 'item':
      return { own: [...(view.item.kind === 'tool' ? ['c call'] : []), 'up/down'], always: ['? help', 'q back'] };
    case 'help':
      return { own: ['up/down'], always: ['q back'] };
    case 'logs':
      return { own: ['up/down', 'end follow'], always: ['? help', 'q back'] };
    default:
      return unreachable(view);
  }
}

function actionKeys(state: PanelState, { data }: PanelContent): string[] {
  const server = currentServer(state, data);
  if (!server) return [];
  return panelKeys
    .filter(({ name }) => isOffered(name, server))
    .map(({ keys, action }) => `${keys[0]} ${action.label}`);
}
