// The handshake until 2025-11-25: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { gateLine, gateText } from '../../model/text-gate.js';
import { badAnswer } from '../answer.js';
import type { JsonObject } from '../message.js';
import type { Era, Implementation, Line, OpenSessionOptions, Session } from './era.js';

/** What we offer, and what we accept in the answer. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export const legacy: Era = { name: 'legacy', open };

async function open({ pipe, peer }: Line, options: OpenSessionOptions): Promise<Session> {
  const { client, capabilities, timeoutMs, signal } = options;
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: client };
  const result = await peer.request('initialize', params, { timeoutMs, signal });
  const version = readVersion(result['protocolVersion'], peer.name);
  pipe.adopt({ era: 'legacy', version });
  await peer.notify('notifications/initialized');
  pipe.listen();
  return {
    era: 'legacy',
    version,
    server: readImplementation(result['serverInfo']),
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
    instructions: readInstructions(result['instructions']),
    request: (method, sent, callOptions) => peer.request(method, sent, callOptions),
  };
}

function readVersion(version: unknown, server: string): string {
  if (typeof version !== 'string') {
    throw badAnswer(
      { server, method: 'initialize' },
      `its protocolVersion is ${JSON.stringify(version)?.slice(0, 40)}`,
    );
  }
  if ((LEGACY_VERSIONS as readonly string[]).includes(version)) return version;
  const shown = gateLine(version, { limit: 40 }).text;
  throw new HostError('unsupported', `Server "${server}" speaks protocol ${shown}, which Plugboard does not know`, {
    hint: `Plugboard knows ${LEGACY_VERSIONS.join(', ')}; update the server, or Plugboard`,
  });
}

function readImplementation(info: unknown): Implementation {
  const { name, version, title } = isObject(info) ? info : ({} as JsonObject);
  return { name: toLine(name), version: toLine(version), ...(typeof title === 'string' && { title: toLine(title) }) };
}

function toLine(value: unknown): string {
  return typeof value === 'string' ? gateLine(value, { limit: NAME_LIMIT }).text : '';
}

/** A model reads them: cleaned, and cut before anything keeps them. */
function readInstructions(instructions: unknown): string | undefined {
  if (typeof instructions !== 'string' || instructions === '') return undefined;
  return gateText(instructions, { limit: INSTRUCTIONS_LIMIT }).text;
}

const NAME_LIMIT = 100;
const INSTRUCTIONS_LIMIT = 2048; // generated servers send novels, and every turn pays for them
