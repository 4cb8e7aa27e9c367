import { VERSION } from '../../src/base/version.js';
import { isObject, type JsonObject } from '../../src/base/json.js';

export type Era = 'legacy' | 'modern';

/** A server whose one tool does something that can be counted: it writes a word down. */
export class Journal {
  /** What was written, in order; a word that stands there twice was written twice. */
  readonly written: string[] = [];
  readonly era: Era;

  constructor(era: Era = 'legacy') {
    this.era = era;
  }

  /** The answer to a request; undefined for anything else. */
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
