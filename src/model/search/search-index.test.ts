import { expect, test } from 'vitest';
import type { SearchDocument } from './search-document.js';
import { documents, toIndex } from './search-fixtures.js';
import { SearchIndex } from './search-index.js';

const index = toIndex(documents);

/** The names found, without `mcp__`. */
function find(query: string, limit = 5): string[] {
  return index.search(query, { limit }).hits.map(({ name }) => name.replace('mcp__', ''));
}

function checkFirst(query: string, expected: string): void {
  expect(find(query)[0]).toBe(expected);
}

test.each([
  ['create issue', 'github__create_issue'],
  ['create an issue on github', 'github__create_issue'],
  ['a new pull request', 'github__create_pull_request'],
  ['merge pull request', 'github__merge_pull_request'],
  ['comment on an issue', 'github__add_issue_comment'],
  ['post message slack', 'slack__slack_post_message'],
  ['post a message to a channel', 'slack__slack_post_message'],
  ['reply in thread', 'slack__slack_reply_to_thread'],
  ['emoji reaction', 'slack__slack_add_reaction'],
  ['list users in the workspace', 'slack__slack_get_users'],
  ['read file', 'filesystem__readFile'],
  ['rename a file', 'filesystem__moveFile'],
  ['write file', 'filesystem__writeFile'],
  ['list the events of my calendar', 'calendar__list-events'],
  ['schedule a meeting and invite people', 'calendar__create-event'],
  ['when is everybody free', 'calendar__get-freebusy'],
  ['sql', 'db__query'],
  ['query', 'db__query'],
  ['database tables', 'db__list_tables'],
  ['columns of a table', 'db__describe_table'],
  ['csv export', 'db__exportCSV'],
  ['issue_number', 'github__add_issue_comment'],
])('somebody who looks for "%s" is given %s first', checkFirst);

test.each([
  ['createIssue', 'github__create_issue'],
  ['createissue', 'github__create_issue'],
  ['create-issue', 'github__create_issue'],
  ['CREATE ISSUE', 'github__create_issue'],
  ['read_file', 'filesystem__readFile'],
  ['readfile', 'filesystem__readFile'],
  ['listevents', 'calendar__list-events'],
  ['export csv', 'db__exportCSV'],
  ['git hub fork', 'github__fork_repository'],
  ['mcp__github__fork_repository', 'github__fork_repository'],
  ['mcp__slack__slack_get_users', 'slack__slack_get_users'],
  ['PostgreSQL', 'db__query'],
  ['postgresql', 'db__query'],
  ['crèate íssue', 'github__create_issue'],
  ['ｃｒｅａｔｅ ｉｓｓｕｅ', 'github__create_issue'],
])('"%s" is understood however it is written, and finds %s', checkFirst);

test.each([
  ['forks', 'github__fork_repository'],
  ['branches', 'github__create_branch'],
  ['repository fork', 'github__fork_repository'],
  ['repositories fork', 'github__fork_repository'],
  ['reactions', 'slack__slack_add_reaction'],
  ['query', 'db__query'],
  ['queries', 'db__query'],
])('"%s" finds %s, be it one or many', checkFirst);

test.each([
  ['iss', 'github__list_issues'],
  ['cal eve', 'calendar__list-events'],
  ['repos fork', 'github__fork_repository'],
  ['freeb', 'calendar__get-freebusy'],
  ['descr tab', 'db__describe_table'],
])('the beginning "%s" is enough for %s', (query, expected) => {
  expect(find(query)).toContain(expected);
});

test.each([
  ['craete issue', 'github__create_issue'],
  ['create isue', 'github__create_issue'],
  ['mesage', 'slack__slack_post_message'],
  ['calender', 'calendar__list-events'],
  ['reponsitory fork', 'github__fork_repository'],
  ['emogi', 'slack__slack_add_reaction'],
  ['eaction', 'slack__slack_add_reaction'],
  ['direktory', 'filesystem__listDirectory'],
])('a mistyped "%s" still finds %s', (query, expected) => {
  expect(find(query)).toContain(expected);
});

test('two letters that are wrong are too many in a short word', () => {
  expect(find('zzzk')).toEqual([]);
  expect(find('isxxe')).toEqual([]);
});

test('what has every word comes before what has some, however often', () => {
  const repeated = Array.from({ length: 30 }, () => 'invoice').join(' ');
  const tools = [
    { name: 'a', tool: 'invoice_invoices', description: repeated, parameters: ['invoice'] },
    {
      name: 'b',
      tool: 'other',
      description: 'something long that in the end has an invoice and a refund',
      parameters: [],
    },
  ];
  const hits = toIndex([['shop', tools]])
    .search('refund invoice', { limit: 5 })
    .hits.map(({ name }) => name);
  expect(hits).toEqual(['b', 'a']);
});

test('what an author wants a tool to be found by counts for more than what a description happens to say', () => {
  const tools = [
    { name: 'a', tool: 'one', description: 'Weather weather weather', parameters: ['weather'] },
    { name: 'b', tool: 'two', description: 'Something', hint: 'weather forecast', parameters: [] },
  ];
  const { hits } = toIndex([['sky', tools]]).search('weather', { limit: 5 });
  expect(hits.map(({ name }) => name)).toEqual(['b', 'a']);
});

test('a required word is in everything that is found', () => {
  expect(find('list', 50).length).toBeGreaterThan(4);
  expect(find('+calendar list', 50).every((name) => name.startsWith('calendar'))).toBe(true);
  expect(find('+calendar list')[0]).toBe('calendar__list-events');
  expect(find('+"pull request" merge', 50)).toEqual(['github__merge_pull_request', 'github__create_pull_request']);
  expect(find('+slack +thread')).toEqual(['slack__slack_reply_to_thread']);
  expect(find('+slack +sql')).toEqual([]);
  expect(find('+nothinglikeit issue')).toEqual([]);
});

test('a required word may be mistyped', () => {
  expect(find('+calender list')[0]).toBe('calendar__list-events');
});

test('quotes, brackets and other marks are not in the way', () => {
  for (const query of [
    '"create issue"',
    "'create issue'",
    '(create issue)',
    'create, issue!',
    '"create issue',
    '`create issue`',
  ]) {
    checkFirst(query, 'github__create_issue');
  }
});

test('words that say nothing find nothing by themselves but what is called so', () => {
  const tools = [
    { name: 'a', tool: 'to_do', description: 'x', parameters: [] },
    { name: 'b', tool: 'other', description: 'what there is to do', parameters: [] },
  ];
  const made = toIndex([['x', tools]]);
  expect(made.search('to do', { limit: 5 }).hits.map(({ name }) => name)).toEqual(['a']);
  expect(find('of the and')).toEqual([]);
});

test('tools are selected by name, in the order of the asking, whatever the limit', () => {
  const { hits, unknown } = index.search('select:mcp__db__query, slack.slack_get_users,readFile,nope', { limit: 1 });
  expect(hits.map(({ name }) => name)).toEqual([
    'mcp__db__query',
    'mcp__slack__slack_get_users',
    'mcp__filesystem__readFile',
  ]);
  expect(unknown).toEqual(['nope']);
});

test.each([
  ['select:mcp__github__create_issue', 'github__create_issue'],
  ['SELECT: mcp__github__create_issue', 'github__create_issue'],
  ['"select:mcp__github__create_issue"', 'github__create_issue'],
  ['select:MCP__GitHub__Create_Issue', 'github__create_issue'],
  ['select:github__create_issue', 'github__create_issue'],
  ['select:github.create_issue', 'github__create_issue'],
  ['select:GitHub.Create_Issue', 'github__create_issue'],
  ['select:create_issue', 'github__create_issue'],
  ['select:CREATE_ISSUE', 'github__create_issue'],
  ['select:create_issue,mcp__github__create_issue,,', 'github__create_issue'],
])('%s selects %s, once', (query, expected) => {
  expect(find(query)).toEqual([expected]);
});

const one = (server: string, tool: string): SearchDocument => ({
  name: `mcp__${server}__${tool}`,
  tool,
  description: '',
  parameters: [],
});

test('a bare name that two tools have selects neither, unless only one is allowed or spelt so', () => {
  const made = toIndex([
    ['a', [one('a', 'get'), one('a', 'Put')]],
    ['b', [one('b', 'get'), one('b', 'put')]],
  ]);
  const select = (query: string, accept?: (name: string) => boolean) => {
    const { hits, unknown } = made.search(query, { limit: 5, accept });
    return [...hits.map(({ name }) => name), ...unknown.map((name) => `?${name}`)];
  };
  expect(select('select:get')).toEqual(['?get']);
  expect(select('select:b.get')).toEqual(['mcp__b__get']);
  expect(select('select:get', (name) => name.startsWith('mcp__b'))).toEqual(['mcp__b__get']);
  expect(select('select:put')).toEqual(['mcp__b__put']);
  expect(select('select:Put')).toEqual(['mcp__a__Put']);
  expect(select('select:PUT')).toEqual(['?PUT']);
  expect(select('select:mcp__a__get', () => false)).toEqual(['?mcp__a__get']);
  expect(select('select:')).toEqual([]);
});

test('what is not to be seen is neither found nor counted', () => {
  const { hits } = index.search('create', { limit: 5, accept: (name) => !name.includes('github') });
  expect(hits.map(({ name }) => name)).toEqual(['mcp__calendar__create-event', 'mcp__filesystem__writeFile']);
});

const same = (places: number[]): SearchDocument[] => places.map((at) => ({ ...one('x', 'same'), name: `t${at}` }));

test('equal scores are in the order of their names, over all servers', () => {
  const made = toIndex([
    ['y', same([7, 1, 9, 3, 5])],
    ['x', same([8, 2, 6, 4, 0])],
  ]);
  const names = (limit: number) => made.search('same', { limit }).hits.map(({ name }) => name);
  expect(names(10)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9']);
  expect(names(3)).toEqual(['t0', 't1', 't2']);
});

test('words of scripts without blanks are found inside of longer ones', () => {
  const tools = [
    { name: 'a', tool: 'issue_new', description: '在仓库中创建新的问题', parameters: [] },
    { name: 'b', tool: 'post', description: 'メッセージをチャンネルに送信する', parameters: [] },
    { name: 'c', tool: 'file', description: '파일을 읽습니다', parameters: [] },
    { name: 'd', tool: 'delete', description: 'Удаляет задачи проекта', parameters: [] },
  ];
  const made = toIndex([['x', tools]]);
  const first = (query: string) => made.search(query, { limit: 1 }).hits[0]?.name;
  expect(first('创建问题')).toBe('a');
  expect(first('送信')).toBe('b');
  expect(first('파일')).toBe('c');
  expect(first('ЗАДАЧИ')).toBe('d');
});

test('of many tools with the same words the first names are found, and few of the others are looked at', () => {
  const many = new SearchIndex();
  for (let server = 0; server < 10; server++) {
    const add = many.replace(`s${server}`);
    for (let at = 0; at < 200; at++) {
      const tool = `send_${String((at * 37) % 200).padStart(3, '0')}`;
      add({ name: `mcp__s${server}__${tool}`, tool, description: 'Sends a letter', parameters: [] });
    }
  }
  let looked = 0;
  const accept = (name: string): boolean => (looked++, !name.endsWith('001'));
  const { hits } = many.search('letter', { limit: 3, accept });
  expect(hits.map(({ name }) => name)).toEqual(['mcp__s0__send_000', 'mcp__s0__send_002', 'mcp__s0__send_003']);
  expect(looked).toBeLessThan(200);
  // A search that is broken off leaves nothing behind.
  const whole = many.search('letter', { limit: 2_000 });
  expect(() => many.search('letter', { limit: 3, accept: () => expect.fail('broken off') })).toThrow('broken off');
  expect(many.search('letter', { limit: 2_000 })).toEqual(whole);
  expect(whole.hits).toHaveLength(2_000);
});
