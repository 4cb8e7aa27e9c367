import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { FixtureOptions } from './fixture-options.js';
import { connectSdkServer } from './sdk-server.js';

/** The official SDK's server as a process. */
const options = JSON.parse(process.env['CONTRACT_OPTIONS'] ?? '{}') as FixtureOptions;
await connectSdkServer(new StdioServerTransport(), options, () => process.exit(3));
