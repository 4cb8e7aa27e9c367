// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
import type { JsonObject } from '../base/json.js';
import type { CallProgress } from '../model/tool.js';

export type Progress = CallProgress;

/** What a note says of how far a call is; undefined when it says nothing, or nothing new. */
export function readProgress({ progress, total, message }: JsonObject, before: number): Progress | undefined {
  if (typeof progress !== 'number' || progress <= before) return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** The same parameters, with the token under which the server is to tell how far it is. */
export function withProgressToken(params: object | undefined, token: number): object {
  const { [META]: meta } = { ...params } as JsonObject;
  return { ...params, [META]: { ...(typeof meta === 'object' && meta), progressToken: token } };
}

const META = '_meta';
