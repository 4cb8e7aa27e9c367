import { isObject, type JsonObject } from '../../base/json.js';
import type { Reading } from './read-texts.js';

/** What has to be kept of a reading, or of the user's words, so that the guard goes on where the conversation does. */
export type FlowRecord = FlowHashes & ((Reading & { readonly saved?: readonly string[] }) | { readonly isTyped: true });

interface FlowHashes {
  readonly prints: readonly number[];
  readonly names: readonly number[];
  /** Three numbers for each secret. */
  readonly secrets: readonly number[];
  /** Why not all that was read can be compared from here on. */
  readonly fault?: string | undefined;
}

/** As JSON: hashes, no content. */
export function toFlowLine(record: FlowRecord): object {
  const { prints, names, secrets, fault } = record;
  const hashes = {
    ...(prints.length > 0 && { prints: toText(prints) }),
    ...(names.length > 0 && { names: toText(names) }),
    ...(secrets.length > 0 && { secrets: toText(secrets) }),
    ...(fault !== undefined && { fault }),
  };
  if ('isTyped' in record) return { typed: true, ...hashes };
  const { source, isOutside, isForeign, turn, saved = [] } = record;
  const marks = { ...(isOutside && { outside: true }), ...(isForeign && { foreign: true }) };
  return { ...source, turn, ...marks, ...(saved.length > 0 && { saved }), ...hashes };
}

/** Undefined for anything that `toFlowLine` has not made. */
export function parseFlowLine(line: unknown): FlowRecord | undefined {
  if (!isObject(line)) return undefined;
  const [prints, names, secrets] = [readHashes(line, 'prints'), readHashes(line, 'names'), readHashes(line, 'secrets')];
  const { fault } = line;
  if (!prints || !names || !secrets || (fault !== undefined && typeof fault !== 'string')) return undefined;
  const hashes = { prints, names, secrets, fault };
  if (line['typed'] === true) return { isTyped: true, ...hashes };
  const { server, tool, turn, outside = false, foreign = false, saved = [] } = line;
  if (typeof tool !== 'string' || (server !== undefined && typeof server !== 'string')) return undefined;
  if (!Number.isSafeInteger(turn) || Number(turn) < 0 || typeof outside !== 'boolean') return undefined;
  if (typeof foreign !== 'boolean') return undefined;
  if (!Array.isArray(saved) || !saved.every((path) => typeof path === 'string')) return undefined;
  return { source: { server, tool }, isOutside: outside, isForeign: foreign, turn: Number(turn), saved, ...hashes };
}

/** 32 bits each, in base64. */
function toText(numbers: readonly number[]): string {
  return Buffer.from(Uint32Array.from(numbers).buffer).toString('base64');
}

function readHashes(line: JsonObject, field: string): readonly number[] | undefined {
  const text = line[field];
  if (text === undefined) return [];
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0 || bytes.toString('base64') !== text) return undefined;
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(4 * at));
}
