import { remoteKind } from './remote.js';

/** HTTP+SSE of the 2024-11-05 revision. */
export const sse = remoteKind({ type: 'sse', label: 'SSE', schemes: ['https', 'http'] });

/** The same, served by an editor's extension: no sign-in, only its whitelisted tools. */
export const sseIde = remoteKind({
  type: 'sse-ide',
  label: 'SSE, IDE',
  schemes: ['https', 'http'],
  origin: 'program',
});
