import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { connectOldSdkServer } from './old-sdk-server.js';

/** A server of the official SDK's first generation as a process. */
await connectOldSdkServer(new StdioServerTransport(), () => process.exit(3));
