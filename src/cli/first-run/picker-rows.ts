import { duplicateRemark, type OfferedFile, type OfferedServer } from '../../actions/found/offered-files.js';
import { windowTop } from '../panel/list-window.js';
import { wrapLine } from '../output/wrap.js';
import type { Screen } from '../terminal/screen.js';
import { cutToColumns, padText, textWidth } from '../terminal/text/text-width.js';
import type { PickerOffer, PickerState } from './picker-state.js';

export interface PickerSize extends Pick<Screen, 'style'> {
  readonly columns: number;
  readonly rows: number;
  /** One sentence above the files. */
  readonly heading: string;
  /** How a file's path is shown. */
  readonly pathOf: (file: string) => string;
}

/** The rows of the picker, and the first item that they show. Pure. */
export function pickerRows(
  state: PickerState,
  offer: PickerOffer,
  size: PickerSize,
): { readonly rows: readonly string[]; readonly top: number } {
  const { columns, style } = size;
  const head = [...wrapLine(size.heading, columns, 0).map(style.bold), ''];
  const foot = [
    ...(state.message === undefined ? [''] : ['', style.yellow(state.message)]),
    ...keyRows(offer, columns).map(style.dim),
  ];
  const height = Math.max(1, size.rows - head.length - foot.length);
  const items = itemsOf(state, offer, { ...size, height });
  const window = { count: items.length, height, rowsOf: (index: number) => Math.min(items[index]!.length, height) };
  const top = windowTop({ ...window, top: state.top, at: state.at });
  const body = items.slice(top).flat().slice(0, height);
  // What lies beyond the screen is hinted at in the empty row above the keys.
  const isMore = items.slice(top).flat().length > height;
  const last = isMore ? [style.dim('  … more below'), ...foot.slice(1)] : foot;
  return { rows: [...head, ...body, ...last], top };
}

interface Room extends PickerSize {
  readonly height: number;
}

function itemsOf(state: PickerState, offer: PickerOffer, room: Room): readonly (readonly string[])[] {
  const { files, folder } = offer;
  const width = Math.max(...files.map(({ title }) => textWidth(title)));
  const firstShared = files.findIndex(({ isShared }) => isShared);
  const shown = files.map((file, index) => [
    ...(index === firstShared ? sharedHeading(room) : []),
    ...fileRows(file, { index, state, files, width, room }),
  ]);
  return folder ? [...shown, folderRows(folder, { state, isSelected: state.at >= files.length, room })] : shown;
}

function sharedHeading({ columns }: Room): readonly string[] {
  const text =
    'From this repository, so another person may have written it. A linked server waits for your approval; a copy runs.';
  return ['', ...wrapLine(text, columns, 0)];
}

interface FileRowsOptions {
  readonly index: number;
  readonly state: PickerState;
  readonly files: readonly OfferedFile[];
  readonly width: number;
  readonly room: Room;
}

function fileRows(file: OfferedFile, { index, state, files, width, room }: FileRowsOptions): readonly string[] {
  const { columns, height, style } = room;
  const isTicked = state.ticked.has(index);
  const head = `${padText(file.title, width)}  ${room.pathOf(file.file)}`;
  const before = files.slice(0, index).filter((_, at) => state.ticked.has(at));
  const most = Math.max(1, Math.min(SERVERS_SHOWN, height - 2));
  const shown = file.servers.length + file.rest <= most ? file.servers : file.servers.slice(0, most - 1);
  const names = Math.min(NAME_WIDTH, Math.max(...shown.map(({ name }) => textWidth(name)), 1));
  const rest = file.servers.length + file.rest - shown.length;
  return [
    tickRow(head, { isTicked, isSelected: state.at === index, room }),
    ...shown.map((server) => cutToColumns(serverRow(server, { before, names, style }), columns)),
    ...(rest > 0 ? [style.dim(`        … and ${rest} more`)] : []),
  ];
}

function serverRow(
  server: OfferedServer,
  { before, names, style }: { readonly before: readonly OfferedFile[]; readonly names: number } & Pick<Screen, 'style'>,
): string {
  const name = padText(cutToColumns(server.name, names), names);
  const remark = server.remark ?? duplicateRemark(server, before);
  return `        ${name}  ${remark === undefined ? style.dim(server.target) : style.yellow(remark)}`;
}

function folderRows(
  { path, warning }: NonNullable<PickerOffer['folder']>,
  { state, isSelected, room }: { readonly state: PickerState; readonly isSelected: boolean; readonly room: Room },
): readonly string[] {
  const { columns, style } = room;
  const otherwise =
    'Without trust, servers start in private folders, out of reach of these files. To trust it later: plugboard trust';
  return [
    '',
    // Whole, also where it is long: the user decides about exactly this folder.
    ...wrapLine(tickText(`Trust this folder: ${room.pathOf(path)}`, state.isTrusted, isSelected), columns, 6).map(
      isSelected ? style.bold : String,
    ),
    ...wrapLine(`      ${warning} ${otherwise}`, columns, 6).map(style.dim),
  ];
}

function tickRow(
  text: string,
  {
    isTicked,
    isSelected,
    room,
  }: { readonly isTicked: boolean; readonly isSelected: boolean; readonly room: Pick<Room, 'columns' | 'style'> },
): string {
  const row = cutToColumns(tickText(text, isTicked, isSelected), room.columns);
  return isSelected ? room.style.bold(row) : row;
}

function tickText(text: string, isTicked: boolean, isSelected: boolean): string {
  return `${isSelected ? '>' : ' '} [${isTicked ? 'x' : ' '}] ${text}`;
}

function keyRows({ folder }: PickerOffer, columns: number): readonly string[] {
  const keys = [
    'enter link: read the files live',
    'i import: copy',
    'space tick',
    'a all',
    ...(folder ? ['t trust'] : []),
    'esc not now',
  ];
  const rows: string[] = [];
  for (const key of keys) {
    const last = rows.at(-1);
    const longer = last === undefined ? key : `${last}  ${key}`;
    if (last === undefined || textWidth(longer) > columns) rows.push(key);
    else rows[rows.length - 1] = longer;
  }
  return rows;
}

const SERVERS_SHOWN = 8; // for each file; `plugboard import` lists all
const NAME_WIDTH = 24;
