import { expect, test } from 'vitest';
import { textWidth } from '../terminal/text/text-width.js';
import { type ServerRow, serverTable } from './server-table.js';

const style = { red: String, green: String, yellow: String, dim: String };

const plain: ServerRow = {
  glyph: '✔',
  name: 'notes',
  state: 'connected',
  tone: 'good',
  transport: 'stdio',
  scope: 'user',
  protocol: '2025-11-25',
  tools: '12',
  prompts: '3',
  resources: '5',
  ms: '143',
  next: undefined,
};
const login: ServerRow = {
  ...plain,
  glyph: '!',
  name: 'github',
  state: 'needs sign-in',
  tone: 'waiting',
  transport: 'http',
  scope: 'project',
  protocol: '–',
  tools: '–',
  prompts: '–',
  resources: '–',
  ms: '–',
  next: { word: 'login', command: 'plugboard login github' },
};
const long: ServerRow = { ...login, name: 'a-server-whose-name-fills-half-of-a-screen' };
const wide: ServerRow = { ...plain, name: '資料庫伺服器', tools: '1000' };

function draw(rows: readonly ServerRow[], columns: number): string {
  return serverTable(rows, { style, columns }).join('\n');
}

test.each<[columns: number, rows: readonly ServerRow[], table: string]>([
  [
    40,
    [plain, login],
    `
  NAME    STATE          TOOLS  NEXT
✔ notes   connected         12
! github  needs sign-in      –  login`,
  ],
  [
    60,
    [plain, login],
    `
  NAME    STATE          TRANSPORT  SCOPE     T/P/R  NEXT
✔ notes   connected      stdio      user     12/3/5
! github  needs sign-in  http       project       –  login`,
  ],
  [
    80,
    [plain, login],
    `
  NAME    STATE          TRANSPORT  SCOPE    PROTOCOL     T/P/R   MS  NEXT
✔ notes   connected      stdio      user     2025-11-25  12/3/5  143
! github  needs sign-in  http       project  –                –    –  login`,
  ],
  [
    100,
    [plain, login],
    `
  NAME    STATE          TRANSPORT  SCOPE    PROTOCOL    TOOLS  PROMPTS  RESOURCES   MS  NEXT
✔ notes   connected      stdio      user     2025-11-25     12        3          5  143
! github  needs sign-in  http       project  –               –        –          –    –  login`,
  ],
  [
    120,
    [plain, login],
    `
  NAME    STATE          TRANSPORT  SCOPE    PROTOCOL    TOOLS  PROMPTS  RESOURCES   MS  NEXT
✔ notes   connected      stdio      user     2025-11-25     12        3          5  143
! github  needs sign-in  http       project  –               –        –          –    –  plugboard login github`,
  ],
  [
    40,
    [plain, long],
    `
  NAME                     STATE
✔ notes                    connected
! a-server-whose-name-fi…  needs sign-in`,
  ],
  [
    60,
    [plain, long],
    `
  NAME                                        STATE
✔ notes                                       connected
! a-server-whose-name-fills-half-of-a-screen  needs sign-in`,
  ],
  [
    80,
    [plain, long],
    `
  NAME                                        STATE          TOOLS  NEXT
✔ notes                                       connected         12
! a-server-whose-name-fills-half-of-a-screen  needs sign-in      –  login`,
  ],
  [
    40,
    [wide, plain],
    `
  NAME          STATE      SCOPE  TOOLS
✔ 資料庫伺服器  connected  user    1000
✔ notes         connected  user      12`,
  ],
  [
    200,
    [wide, long],
    `
  NAME                                        STATE          TRANSPORT  SCOPE    PROTOCOL    TOOLS  PROMPTS  RESOURCES   MS  NEXT
✔ 資料庫伺服器                                connected      stdio      user     2025-11-25   1000        3          5  143
! a-server-whose-name-fills-half-of-a-screen  needs sign-in  http       project  –               –        –          –    –  plugboard login github`,
  ],
])('in %i columns the table shows what has room', (columns, rows, table) => {
  expect(`\n${draw(rows, columns)}`).toBe(table);
});

const all = [plain, login, long, wide];
const widths = [40, 41, 50, 59, 60, 72, 80, 100, 120, 160, 200, Infinity];

test.each(widths)('in %d columns no line is wider, and every column begins in one place', (columns) => {
  for (const rows of [all, [plain], [login, wide], [long]]) {
    const lines = draw(rows, columns).split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    const [heading = '', ...others] = lines;
    const at = textWidth(heading.slice(0, heading.indexOf('STATE')));
    for (const [index, line] of others.entries()) {
      const { state } = rows[index]!;
      expect(textWidth(line.slice(0, line.indexOf(`  ${state}`) + 2))).toBe(at);
    }
  }
});

test('a pipe gets all of it, whatever its length', () => {
  const table = draw([{ ...login, name: 'x'.repeat(300) }], Infinity);
  expect(table).toContain(`${'x'.repeat(300)}  needs sign-in  http`);
  expect(table).toMatch(/plugboard login github$/u);
});

test('glyph and word carry the colour of the state, and nothing else does', () => {
  const marked = {
    ...style,
    yellow: (text: string) => `\u001B[33m${text}\u001B[39m`,
    green: (text: string) => `\u001B[32m${text}\u001B[39m`,
  };
  expect(serverTable([plain, login], { style: marked, columns: 40 }).slice(1)).toEqual([
    '\u001B[32m✔\u001B[39m notes   \u001B[32mconnected\u001B[39m         12',
    '\u001B[33m!\u001B[39m github  \u001B[33mneeds sign-in\u001B[39m      –  login',
  ]);
});
