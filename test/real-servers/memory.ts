import { join } from 'node:path';
import type { RealServer } from './real-server.js';

const entities = [
  { name: 'Ada', entityType: 'person', observations: ['writes'] },
  { name: 'Engine', entityType: 'machine', observations: [] },
];
const relations = [{ from: 'Ada', to: 'Engine', relationType: 'programs' }];

export const memory: RealServer = {
  title: 'memory',
  packageName: '@modelcontextprotocol/server-memory',
  transport: 'stdio',
  env: (folder) => ({ MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
  tools: {
    create_entities: { input: () => ({ entities }), says: 'Ada' },
    create_relations: { input: () => ({ relations }), says: 'programs' },
    add_observations: {
      input: () => ({ observations: [{ entityName: 'Ada', contents: ['counts'] }] }),
      says: 'counts',
    },
    read_graph: { says: 'Engine' },
    search_nodes: { input: () => ({ query: 'machine' }), says: 'Engine' },
    open_nodes: { input: () => ({ names: ['Ada'] }), says: 'writes' },
    delete_observations: {
      input: () => ({ deletions: [{ entityName: 'Ada', observations: ['writes'] }] }),
      says: 'deleted successfully',
    },
    delete_relations: { input: () => ({ relations }), says: 'deleted successfully' },
    delete_entities: { input: () => ({ entityNames: ['Ada'] }), says: 'deleted successfully' },
  },
};
