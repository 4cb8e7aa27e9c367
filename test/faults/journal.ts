import { VERSION } from '../../src/base/version.js';
import { isObject, type JsonObject } from '../../src/base/json.js';

export type Era = 'legacy' | 'modern';

/** A server whose one tool has a countable effect: it appends a word to a list. */
export class Journal {
  /** The words in order. A word that is listed twice was written twice. */
  readonly written: string[] = [];
  readonly era: Era;

  constructor(era: Era = 'legacy') {
    this.era = era;
  }

  /** The response to a request; undefined for any other message. */
  answer(message: unknown): JsonObject | undefined {
    if (!isObject(message) || message['id'] === undefined || typeof message['method'] !== 'string') return undefined;
    const { id, method, params } = message;
    const outcome = this.#outcome(method, isObject(params) ? params : {});
    return { jsonrpc: '2.0', id, ...outcome };
  }

  #outcome(method: string, params: JsonObject): JsonObject {
    const isKnown = KNOWN[this.era].has(method);
    switch (isKnown ? method : '') {
      case 'server/discover':
        return { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } };
      case 'initialize':
        return {
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'journal', version: VERSION },
          },
        };
      case 'tools/list':
        return { result: { tools: [{ name: 'write', inputSchema: { type: 'object' } }] } };
      case 'tools/call':
        return { result: this.#write(isObject(params['arguments']) ? params['arguments'] : {}) };
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  }

  #write({ word, padding }: JsonObject): JsonObject {
    this.written.push(String(word));
    return { content: [{ type: 'text', text: `${String(word)}${'.'.repeat(Number(padding ?? 0))}` }] };
  }
}

const TOOLS = ['tools/list', 'tools/call'];
const KNOWN: Readonly<Record<Era, ReadonlySet<string>>> = {
  legacy: new Set(['initialize', ...TOOLS]),
  modern: new Set(['server/discover', ...TOOLS]),
};
