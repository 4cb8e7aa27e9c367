// One fresh process of search.mjs. Argument: a JSON of { inside, servers, text, tools }. Prints one line of JSON.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { makeDocuments } from './search-documents.mjs';

const { inside, servers, text, tools } = JSON.parse(process.argv[2]);
const load = (file) => import(pathToFileURL(join(inside, 'model/search', file)).href);
const { SearchIndex } = await load('search-index.js');
const { SegmentBuilder } = await load('segment-builder.js');
const { readSegment } = await load('search-segment.js');

const fleet = makeDocuments({ servers, text, tools });
const before = memory();
const started = process.cpuUsage();
let finish = 0;
let segments = fleet.map(([, documents]) => build(documents));
const index = new SearchIndex();
for (const [at, [server]] of fleet.entries()) index.set(server, segments[at]);
const built = process.cpuUsage(started).user + process.cpuUsage(started).system;
const after = memory();

const files = segments.map((segment) => Uint8Array.from(segment.toBytes()));
const loading = process.cpuUsage();
segments = files.map((bytes) => readSegment(bytes));
const spent = process.cpuUsage(loading);
if (segments.includes(undefined)) throw new Error('a segment does not read its own bytes');
const loaded = new SearchIndex();
for (const [at, [server]] of fleet.entries()) loaded.set(server, segments[at]);

const changing = performance.now();
index.set(fleet[0][0], segments[0]);
index.search('anything', { limit: 5 });
const change = performance.now() - changing;

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
const result = { build: built / 1000, finish, load: (spent.user + spent.system) / 1000, change };
for (const [kind, list] of Object.entries(queries)) result[kind] = measure(list, kind === 'hostile' ? 40 : 300);
result.heap = (after.heap - before.heap) / 1e6;
result.buffers = (after.buffers - before.buffers) / 1e6;
result.bytes = files.reduce((sum, { length }) => sum + length, 0) / 1e6;
process.stdout.write(JSON.stringify(result));

function build(documents) {
  const builder = new SegmentBuilder();
  for (const document of documents) builder.add(document);
  const finishing = performance.now();
  const segment = builder.finish();
  finish = Math.max(finish, performance.now() - finishing);
  return segment;
}

function measure(list, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    for (const query of list) {
      const start = performance.now();
      loaded.search(query, { limit: 5 });
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
