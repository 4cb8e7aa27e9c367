import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/json.js';
import { installedProgram } from './installed-program.js';
import { call, complete, lists, read, type Upstream } from './upstreams.js';

/**
 * mongodb-mcp-server, and what a client asks it. `database` is where a mongod of 4.4 or later listens; without one, the
 * calls for data show only how each of them fails.
 */
export function mongodb(era: Upstream['era'], database: string | undefined): Upstream {
  const connection = database ?? REFUSED;
  return {
    name: `mongodb-mcp-server, ${era}, with ${database ?? 'no database (PLUGBOARD_MONGODB)'}`,
    era,
    open() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-mongodb-')));
      const env = { MDB_MCP_TELEMETRY: 'disabled', MDB_MCP_CONNECTION_STRING: connection };
      return { ...installedProgram('mongodb-mcp-server', { env, folder }), folder };
    },
    shows: [
      database === undefined ? 'connect ECONNREFUSED' : '"documents":[{"_id":1,"name":"lynx',
      ...(era === 'legacy' ? ['Do you confirm'] : []),
    ],
    requests: [...lists, ...aroundData, ...data, ...more],
    varying: [
      // Data of others stands between tags that nobody can guess.
      [/untrusted-user-data-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, 'untrusted-user-data-$TAG'],
      [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, '$TIME'],
      // Sessions and exports have ids made of the time.
      [/\b[\da-f]{24}\b/gu, '$ID'],
    ],
  };
}

const REFUSED = 'mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=100'; // no process listens there

const connectionId = 'preconfigured';
const place = { connectionId, database: 'plugboard_test', collection: 'animals' };
const inPlace = (tool: string, input: JsonObject = {}) => call(tool, { ...place, ...input });
const template = { type: 'ref/resource', uri: 'exported-data://{exportName}' };

const aroundData: Upstream['requests'] = [
  read('config://config'),
  read('debug://mongodb'),
  read('exported-data://nothing'),
  read('nothing://here'),
  complete(template, { name: 'exportName', value: '' }),
  call('list-connections'),
];

/** Those that delete are asked about by the server, and need a yes. */
const data: Upstream['requests'] = [
  inPlace('insert-many', {
    documents: [
      { _id: 1, name: 'lynx ä\u{1F600}' },
      { _id: 2, name: 'owl' },
    ],
  }),
  inPlace('find', { filter: { _id: 1 } }),
  inPlace('aggregate', { pipeline: [{ $match: { _id: 2 } }] }),
  inPlace('count'),
  inPlace('collection-schema'),
  inPlace('update-many', { filter: { _id: 1 }, update: { $set: { seen: true } } }),
  inPlace('delete-many', { filter: { _id: 1 } }),
  inPlace('find'),
  call('drop-database', { connectionId, database: place.database }),
  read('debug://mongodb'),
];

const more: Upstream['requests'] = [
  call('connect', { connectionString: REFUSED }),
  call('connect', { connectionString: 'nonsense' }),
  call('disconnect', { connectionId: 'nobody' }),
  call('find', {}),
  call('no_such_tool'),
];
