import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { connectOldSdkServer } from './old-sdk-server.js';

/** The official SDK's old server as a process. */
await connectOldSdkServer(new StdioServerTransport(), () => process.exit(3));
