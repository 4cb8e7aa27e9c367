// One fresh process of search.mjs. Argument: a JSON of { inside, servers, text, tools }. Prints one line of JSON.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { makeDocuments } from './search-documents.mjs';

const { inside, servers, text, tools } = JSON.parse(process.argv[2]);
const load = (file) => import(pathToFileURL(join(inside, 'model/search', file)).href);
const { SearchIndex } = await load('search-index.js');

const fleet = makeDocuments({ servers, text, tools });
const before = memory();
const started = process.cpuUsage();
const index = new SearchIndex();
for (const [server, documents] of fleet) add(server, documents);
// The first search finishes the index; a word that no tool has makes it finish all of it.
const finish = timeOf(() => index.search('zzzzanything', { limit: 5 }));
const spent = process.cpuUsage(started);
const after = memory();
const change = timeOf(() => {
  add(...fleet[0]);
  index.search('zzzzanything', { limit: 5 });
});

const queries = {
  words: [
    'create issue',
    'send a message to a channel',
    'list files',
    'search customer invoices by date',
    'export report',
    'github pull request review comments',
    'update calendar event',
    'delete',
    'workspace query limit',
    'read database table',
  ],
  required: ['+calendar event create', '+invoice list', '+message +channel', '+report weekly export'],
  prefix: ['calen', 'mess chan', 'invo', 'repos'],
  typo: ['calender evnet', 'mesage chanel', 'craete isue', 'repositry brnach', 'custmer invoce'],
  select: [
    'select:mcp__server-0__create_issue_0',
    'select:mcp__server-0__create_issue_0,nothing_at_all',
    'select:CREATE_issue_0',
  ],
  hostile: [
    Array.from({ length: 500 }, (_, at) => `w${at}`).join(' '),
    Array.from({ length: 300 }, () => 'create').join(' '),
    'create list update delete get search issue file message event report user customer invoice limit query workspace of',
    Array.from({ length: 40 }, (_, at) => `zqxwv${at}kjhgf`).join(' '),
  ],
};
const result = { build: (spent.user + spent.system) / 1000, finish, change };
for (const [kind, list] of Object.entries(queries)) result[kind] = measure(list, kind === 'hostile' ? 40 : 300);
result.heap = (after.heap - before.heap) / 1e6;
result.buffers = (after.buffers - before.buffers) / 1e6;
process.stdout.write(JSON.stringify(result));

function add(server, documents) {
  const take = index.replace(server);
  for (const document of documents) take(document);
}

function timeOf(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function measure(list, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    for (const query of list) {
      const start = performance.now();
      index.search(query, { limit: 5 });
      times.push(performance.now() - start);
    }
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

function memory() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}
