import type { AssistantPart, Usage } from '../../session/index.js';
// https://platform.claude.com/docs/en/api/messages: the blocks that published agent SDKs emit for every model API
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';

type Json = { readonly [field: string]: unknown };

/** `isOwn`: the model's API has this shape itself, so the extra fields that it wants back are part of the block. */
export function toBlock(part: AssistantPart, isOwn: boolean): Json {
  const extra = isOwn ? part.extra : undefined;
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text, citations: null, ...extra };
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, signature: '', ...extra };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
    case 'provider-call':
      return { type: 'server_tool_use', id: part.id, name: part.name, input: part.input, ...extra };
    case 'provider-result':
      return { type: `${part.name}_tool_result`, tool_use_id: part.id, content: part.result, ...extra };
    default:
      return unreachable(part);
  }
}

/** The results of a message's calls as blocks. The other API has messages for them, followed by their pictures. */
export function toResultBlocks(results: readonly object[], failed: ReadonlySet<string>): readonly object[] {
  return results.flatMap((result): readonly object[] => {
    if (!isObject(result)) return [];
    const { type, role, content, tool_call_id: id } = result;
    if (type === 'tool_result') return [result];
    if (role === 'tool') {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      const block = { type: 'tool_result', tool_use_id: id, is_error: failed.has(String(id)) };
      return [{ ...block, content: [{ type: 'text', text }] }];
    }
    return Array.isArray(content) ? content.filter(isObject).map(toPart) : [];
  });
}

function toPart(part: Json): object {
  const { image_url: image } = part;
  const url = isObject(image) && typeof image['url'] === 'string' ? image['url'] : '';
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/su.exec(url) ?? [];
  if (data === undefined) return part;
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** What agent SDKs declare of every message, and no model of this program tells. */
export const MESSAGE_REST = {
  stop_sequence: null,
  stop_details: null,
  container: null,
  context_management: null,
  diagnostics: null,
} as const;

/** The usage with every field that agent SDKs declare: what no API has told is nothing. */
export function toWholeUsage(usage: Usage): object {
  return {
    ...toUsage(usage),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    fallback_credit: null,
    inference_geo: 'not_available',
    iterations: [],
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    speed: 'standard',
  };
}

export function toUsage({ input, output, cacheRead, cacheWrite }: Usage): object {
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}
