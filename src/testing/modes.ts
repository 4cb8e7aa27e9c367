import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { content } from './content.js';
import { elicit } from './elicit.js';
import { goodHttp, goodStdio } from './good.js';
import { handshake } from './handshake.js';
import { httpBody } from './http-body.js';
import { httpHeaders } from './http-headers.js';
import { httpRedirect } from './http-redirect.js';
import { httpResume } from './http-resume.js';
import { httpSse } from './http-sse.js';
import { httpStatus } from './http-status.js';
import { jsonLines } from './json-lines.js';
import { listModes } from './lists.js';
import type { Mode } from './mode.js';
import { processModes } from './process.js';
import { rpcFloods } from './rpc-floods.js';
import { rpcRequests } from './rpc-requests.js';
import { schemas } from './schemas.js';
import { overBoth } from './wrong-answer.js';
import { wrongJson } from './wrong-json.js';
import { wrongRpc } from './wrong-rpc.js';

const wrongAnswers = [...wrongJson, ...wrongRpc].flatMap(overBoth);

/** Every mode there is, those over stdio first. A new one is an entry in the list of its family. */
export const modes: readonly Mode[] = [
  goodStdio,
  ...wrongAnswers.filter(({ channel }) => channel === 'stdio'),
  ...jsonLines,
  ...rpcRequests,
  ...rpcFloods,
  ...elicit,
  ...handshake,
  ...listModes,
  ...schemas,
  ...content,
  ...processModes,
  ...goodHttp,
  ...wrongAnswers.filter(({ channel }) => channel === 'http'),
  ...httpStatus,
  ...httpHeaders,
  ...httpBody,
  ...httpRedirect,
  ...httpSse,
  ...httpResume,
];

export function findMode(name: string): Mode {
  const found = modes.find((mode) => mode.name === name);
  if (found) return found;
  const [close] = nearest(
    name,
    modes.map((mode) => mode.name),
  );
  throw new HostError('usage', `error: there is no mode "${name}"`, {
    hint: close === undefined ? 'plugboard attack --list' : `Did you mean: plugboard attack ${close}`,
  });
}
