import { remoteKind } from './remote.js';

/** Streamable HTTP. */
export const http = remoteKind({
  type: 'http',
  label: 'HTTP',
  schemes: ['https', 'http'],
  aliases: ['streamable-http', 'streamableHttp', 'streamable_http'],
});
