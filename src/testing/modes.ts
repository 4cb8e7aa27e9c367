import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { content } from './attacks/content.js';
import { elicit } from './attacks/elicit.js';
import { endless } from './attacks/endless.js';
import { good } from './attacks/good.js';
import { handshake } from './attacks/handshake.js';
import { httpAsides } from './http/http-asides.js';
import { httpBody } from './http/http-body.js';
import { httpHeaders } from './http/http-headers.js';
import { httpRedirect } from './http/http-redirect.js';
import { httpResume } from './http/http-resume.js';
import { httpSse } from './http/http-sse.js';
import { httpStatus } from './http/http-status.js';
import { jsonLines } from './json-lines.js';
import { listModes } from './attacks/lists.js';
import type { Channel, Mode } from './mode.js';
import { discover } from './modern/discover.js';
import { mirrored } from './modern/mirrored.js';
import { overStdioAndHttp } from './modern/modern-mode.js';
import { modernStreams } from './modern/modern-streams.js';
import { probes } from './modern/probes.js';
import { results } from './modern/results.js';
import { rounds } from './modern/rounds.js';
import { subscriptions } from './modern/subscriptions.js';
import { tasks } from './modern/tasks.js';
import { oauthCodes } from './oauth/codes.js';
import { oauthDiscovery } from './oauth/discovery.js';
import { oauthRefreshes } from './oauth/refreshes.js';
import { oauthTokens } from './oauth/tokens.js';
import { processModes } from './attacks/process.js';
import { rpcFloods } from './attacks/rpc-floods.js';
import { rpcRequests } from './attacks/rpc-requests.js';
import { schemas } from './attacks/schemas.js';
import { sseOpening } from './sse/opening.js';
import { ssePosts } from './sse/posts.js';
import { sseStream } from './sse/stream.js';
import { wrongJson } from './attacks/wrong-json.js';
import { wrongRpc } from './attacks/wrong-rpc.js';
import { wsFrames } from './ws/frames.js';
import { wsMessages } from './ws/messages.js';
import { wsOpening } from './ws/opening.js';

/** A new mode is an entry in the list of its family, a new family an entry here. */
const families: readonly Mode[] = [
  ...good,
  ...wrongJson,
  ...wrongRpc,
  ...endless,
  ...jsonLines,
  ...rpcRequests,
  ...rpcFloods,
  ...elicit,
  ...handshake,
  ...listModes,
  ...schemas,
  ...content,
  ...processModes,
  ...httpStatus,
  ...httpAsides,
  ...httpHeaders,
  ...httpBody,
  ...httpRedirect,
  ...httpSse,
  ...httpResume,
  ...oauthDiscovery,
  ...oauthCodes,
  ...oauthTokens,
  ...oauthRefreshes,
  ...probes,
  ...[...discover, ...results, ...rounds, ...tasks, ...subscriptions].flatMap(overStdioAndHttp),
  ...mirrored,
  ...modernStreams,
  ...sseOpening,
  ...ssePosts,
  ...sseStream,
  ...wsOpening,
  ...wsFrames,
  ...wsMessages,
];

/** The transports that hostile servers have. */
export const channels: readonly Channel[] = ['stdio', 'http', 'sse', 'ws'];

/** All modes, grouped by channel. */
export const modes: readonly Mode[] = channels.flatMap((wanted) =>
  families.filter(({ channel }) => channel === wanted),
);

/** The hostile server of this name. Throws where there is none. */
export function findMode(name: string): Mode {
  const found = modes.find((mode) => mode.name === name);
  if (found) return found;
  const [close] = nearest(
    name,
    modes.map((mode) => mode.name),
  );
  throw new HostError('usage', `there is no mode "${name}"`, {
    hint: close === undefined ? 'plugboard attack --list' : `Did you mean: plugboard attack ${close}`,
  });
}
