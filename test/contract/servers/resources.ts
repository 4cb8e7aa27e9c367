import type { JsonObject } from '../../../src/base/json.js';
import { type Inputs, type Question, RpcError } from './tool-turn.js';

const names = ['a', 'b', 'asking'];

/** The resources of every server of the suite. */
export function listResources(): { readonly resources: { readonly uri: string; readonly name: string }[] } {
  return { resources: names.map((name) => ({ uri: `note:///${name}`, name })) };
}

/** Reading `note:///asking` requires input: the client's roots. */
export function readResource(uri: string, { inputResponses }: Inputs): ReadResult | Question {
  const name = names.find((one) => uri === `note:///${one}`);
  if (name === undefined) throw new RpcError({ code: -32602, message: 'Resource not found', data: { uri } });
  if (name === 'asking' && inputResponses === undefined) {
    return { resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } };
  }
  return { contents: [{ uri, text: `the note ${name}` }] };
}

interface ReadResult extends JsonObject {
  contents: { readonly uri: string; readonly text: string }[];
}
