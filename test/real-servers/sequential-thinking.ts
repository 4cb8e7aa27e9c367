import type { RealServer } from './real-server.js';

export const sequentialThinking: RealServer = {
  title: 'sequential-thinking',
  packageName: '@modelcontextprotocol/server-sequential-thinking',
  transport: 'stdio',
  // All arguments are made up from the schema.
  tools: { sequentialthinking: { says: '"thoughtHistoryLength": 1' } },
};
