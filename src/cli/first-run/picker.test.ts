import { expect, test } from 'vitest';
import type { OfferedFile } from '../../actions/found/offered-files.js';
import { showPath } from '../../model/show.js';
import { styleFor } from '../output/style.js';
import { pickerRows } from './picker-rows.js';
import { firstPicks, type PickerOffer, type Picked, pressInPicker } from './picker-state.js';

const server = (name: string): OfferedFile['servers'][number] => ({
  name,
  target: `run ${name}`,
  isCommand: true,
  identity: undefined,
  isThere: false,
  remark: undefined,
});
const file = (title: string, count: number, isShared = false): OfferedFile => ({
  host: title.toLowerCase(),
  title,
  file: `/home/${title}`,
  isShared,
  rest: 0,
  servers: Array.from({ length: count }, (_, at) => server(`${title}-${at}`)),
});
const offer: PickerOffer = {
  files: [file('One', 2), file('Two', 30), file('Three', 1), file('Shared', 1, true)],
  folder: { path: '/home/app', warning: 'Files matter.' },
};

function type(keys: string, of = offer): { readonly ticked: readonly number[]; readonly picked: Picked | undefined } {
  let state = firstPicks(of);
  let picked: Picked | undefined;
  for (const name of keys.split(' ').filter((key) => key !== '')) {
    const key = { name, text: '', ctrl: name === 'c^', meta: false };
    ({ state, picked } = { picked: undefined, ...pressInPicker(state, key, of) });
  }
  return { ticked: [...state.ticked].toSorted((one, other) => one - other), picked };
}

test('the user’s files are ticked, those of the repository only by hand', () => {
  expect(type('').ticked).toEqual([0, 1, 2]);
  expect(type('a').ticked).toEqual([]);
  const known = { ...offer.files[0]!, servers: offer.files[0]!.servers.map((one) => ({ ...one, isThere: true })) };
  expect(type('', { ...offer, files: [known, ...offer.files.slice(1)] }).ticked).toEqual([1, 2]);
  expect(type('a a').ticked).toEqual([0, 1, 2]);
  expect(type('down space down down space').ticked).toEqual([0, 2, 3]);
  expect(type('end up space a').ticked).toEqual([]);
  expect(type('space end up space a').ticked).toEqual([0, 1, 2, 3]);
});

test('enter links, i copies, escape does neither, and nothing ticked is no decision', () => {
  const titles = ({ picked }: ReturnType<typeof type>): unknown =>
    picked && picked.kind !== 'later'
      ? [picked.kind, ...picked.files.map(({ title }) => title), picked.isTrusted]
      : picked;
  expect(titles(type('return'))).toEqual(['link', 'One', 'Two', 'Three', false]);
  expect(titles(type('space t i'))).toEqual(['copy', 'Two', 'Three', true]);
  expect(titles(type('end space return'))).toEqual(['link', 'One', 'Two', 'Three', true]);
  expect(titles(type('escape'))).toEqual({ kind: 'later' });
  expect(titles(type('a return'))).toBeUndefined();
  // Without a folder to decide about, the last file is the last row.
  expect(type('end space', { ...offer, folder: undefined }).ticked).toEqual([0, 1, 2, 3]);
});

test.each([
  [40, 12],
  [80, 24],
  [120, 50],
])('on %s columns and %s rows the selected file can be seen wherever it is', (columns, rows) => {
  const style = styleFor({ isTerminal: false, columns, write() {} }, { env: {}, noColor: true });
  const size = { columns, rows, style, heading: 'Found 34 servers', pathOf: (path: string) => path };
  let state = firstPicks(offer);
  for (let at = 0; at <= offer.files.length; at++) {
    const drawn = pickerRows({ ...state, at }, offer, size);
    state = { ...state, at, top: drawn.top };
    expect(drawn.rows.some((row) => row.startsWith('> ['))).toBe(true);
    expect(drawn.rows.length).toBeLessThanOrEqual(rows);
  }
});

test('the folder to trust is shown whole, with its hidden characters written out', () => {
  const style = styleFor({ isTerminal: false, columns: 60, write() {} }, { env: {}, noColor: true });
  const size = { columns: 60, rows: 50, style, heading: 'Found', pathOf: showPath };
  const path = `/home/ada/${'projects/'.repeat(6)}app\u202e\u001b[2K\n\u00a0`;
  const { rows } = pickerRows(firstPicks(offer), { ...offer, folder: { path, warning: '' } }, size);
  const from = rows.findIndex((row) => row.includes('Trust this folder:'));
  const shown = rows.slice(from, from + 3).map((row) => row.trim());
  expect(shown.join('')).toContain(String.raw`${path.slice(0, 67)}\u{202e}\u{1b}[2K\u{a}\u{a0}`);
});
