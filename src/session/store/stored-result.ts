import { errorCodes } from '../../base/error-codes.js';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { CallResult } from '../../host/host-options.js';
import type { ContentBlock, ImageBlock } from '../../model/content/content-block.js';
import type { SavedFile } from '../../model/tool.js';
import { LineFault } from './session-error.js';
import { filledField, textField, toSource } from './stored-parts.js';

/** What a line with the result of a call has besides its message: what no content block of other programs can say. */
export function toResultFields(result: CallResult): { readonly block: object; readonly rest: object } {
  const { callId, content, outcome, name, calledAs, server, tool, saved, notes, ms, askedMs, attempts } = result;
  const { error, forUser } = result;
  return {
    block: {
      type: 'tool_result',
      tool_use_id: callId,
      content: content.map(toStoredBlock),
      is_error: outcome !== 'ok',
    },
    rest: {
      outcome,
      name,
      ...(calledAs !== name && { calledAs }),
      ...(server !== undefined && { server }),
      ...(tool !== undefined && { tool }),
      ...(error && { error: { code: error.code, message: error.message, hint: error.hint } }),
      ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
      ...(forUser && { forUser: forUser.map(toStoredBlock) }),
      ...(saved.length > 0 && { saved }),
      ...(notes.length > 0 && { notes }),
      ms,
      ...(askedMs !== undefined && { askedMs }),
      attempts,
    },
  };
}

/** Throws a `LineFault`. */
export function toCallResult(block: JsonObject, rest: JsonObject): CallResult {
  const { outcome, structuredContent, forUser, ms, askedMs, attempts, error, saved = [], notes = [] } = rest;
  if (outcome !== 'ok' && outcome !== 'error' && outcome !== 'unknown') throw new LineFault('"outcome" is unknown');
  if (typeof ms !== 'number' || typeof attempts !== 'number') throw new LineFault('"ms" or "attempts" is no number');
  if (askedMs !== undefined && typeof askedMs !== 'number') throw new LineFault('"askedMs" is no number');
  if (!Array.isArray(notes) || !notes.every((note) => typeof note === 'string')) {
    throw new LineFault('"notes" is not a list of texts');
  }
  const name = textField(rest, 'name');
  return {
    callId: filledField(block, 'tool_use_id'),
    name,
    calledAs: rest['calledAs'] === undefined ? name : textField(rest, 'calledAs'),
    server: rest['server'] === undefined ? undefined : textField(rest, 'server'),
    tool: rest['tool'] === undefined ? undefined : textField(rest, 'tool'),
    outcome,
    content: toContent(block['content']),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(forUser !== undefined && { forUser: toContent(forUser) }),
    saved: toSaved(saved),
    notes,
    ...(error !== undefined && { error: toError(error) }),
    ms,
    ...(askedMs !== undefined && { askedMs }),
    attempts,
  };
}

/** An image as other programs write it. What could be taken for something else on reading is kept as a block in a block. */
function toStoredBlock(block: ContentBlock): object {
  if (block.type === 'image' && isPlainImage(block)) {
    const { type, data, mimeType, ...rest } = block;
    return { type, source: toSource(mimeType, data), ...rest };
  }
  return (block.type as string) === WRAPPED || block.type === 'image' ? { type: WRAPPED, block } : block;
}

function isPlainImage(block: ImageBlock): boolean {
  return typeof block.data === 'string' && typeof block.mimeType === 'string' && !Object.hasOwn(block, 'source');
}

const WRAPPED = 'block';

function toContent(blocks: unknown): readonly ContentBlock[] {
  if (!Array.isArray(blocks)) throw new LineFault('the content of a result is not a list');
  return blocks.map(fromStoredBlock);
}

function fromStoredBlock(stored: unknown): ContentBlock {
  const block = isObject(stored) && stored['type'] === WRAPPED ? stored['block'] : stored;
  if (!isObject(block)) throw new LineFault('a content block of a result is not an object');
  if (block !== stored) return block as unknown as ContentBlock;
  const { type, source, ...rest } = block;
  if (type === 'text') textField(block, 'text');
  if (type !== 'image') return block as unknown as ContentBlock;
  if (!isObject(source)) throw new LineFault('an image of a result has no source');
  return { type, data: textField(source, 'data'), mimeType: textField(source, 'media_type'), ...rest };
}

function toSaved(saved: unknown): readonly SavedFile[] {
  if (!Array.isArray(saved)) throw new LineFault('"saved" is not a list');
  return saved.map((file: unknown) => {
    if (!isObject(file) || typeof file['bytes'] !== 'number') throw new LineFault('a saved file has no size');
    return { path: textField(file, 'path'), bytes: file['bytes'], mimeType: textField(file, 'mimeType') };
  });
}

function toError(error: unknown): HostError {
  if (!isObject(error)) throw new LineFault('"error" is not an object');
  const code = errorCodes.find((one) => one === error['code']);
  if (code === undefined) throw new LineFault('the code of an error is unknown');
  const hint = error['hint'] === undefined ? undefined : textField(error, 'hint');
  return new HostError(code, textField(error, 'message'), { hint });
}
