// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
import type { JsonObject } from '../base/json.js';
import type { CallProgress } from '../model/tool.js';

export type Progress = CallProgress;

/** The progress in a notification; undefined when it is invalid or does not increase. */
export function readProgress({ progress, total, message }: JsonObject, before: number): Progress | undefined {
  if (typeof progress !== 'number' || progress <= before) return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Adds a progress token to the parameters. */
export function withProgressToken(params: object | undefined, token: number): object {
  const { [META]: meta } = { ...params } as JsonObject;
  return { ...params, [META]: { ...(typeof meta === 'object' && meta), progressToken: token } };
}

const META = '_meta';
