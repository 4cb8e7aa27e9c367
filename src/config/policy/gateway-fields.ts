import {
  type FieldTable,
  filledText,
  listOf,
  mapOf,
  objectOf,
  oneWord,
  wholeNumber,
  yesOrNo,
} from '../../model/fields/shape.js';

export const PRESET_FIELDS = {
  servers: { shape: listOf(filledText), description: 'Only these servers.', default: 'all servers' },
  tools: {
    shape: listOf(filledText),
    description: 'Permission rules for the only tools: `mcp__github`, `mcp__github__get_*`.',
    default: 'all tools',
  },
  list: {
    shape: oneWord('all', 'search', 'auto'),
    description:
      'What is listed: `all` tools, `search_tools` and `call_tool` in their place, or these only where there are very many.',
    default: '`all`',
  },
} as const satisfies FieldTable;

export const PRESET_NAMES = '^[A-Za-z0-9_.-]{1,64}$';

export const GATEWAY_FIELDS = {
  presets: {
    shape: mapOf(objectOf(PRESET_FIELDS), PRESET_NAMES),
    expected: 'an object of presets by name, each with "servers", "tools" or "list"',
    description: 'Named sets of servers and tools, each at `/mcp/@<name>`.',
    default: '{}',
    example: { reading: { servers: ['docs', 'web'], tools: ['mcp__docs', 'mcp__web__get_*'] } },
  },
  ask: {
    shape: oneWord('client', 'deny'),
    expected: '"client" or "deny"',
    description:
      'What happens to a call that a person would have to be asked about: `client` asks the user of the client, where the client can ask; `deny` denies it.',
    default: '"client"',
    example: 'deny',
  },
  park: {
    shape: yesOrNo,
    expected: 'true or false',
    description:
      'Whether a call waits, up to 10 minutes, while a client of 2026-07-28 answers a question of an older server. Otherwise the question is refused.',
    default: 'true',
    example: false,
  },
  results: {
    shape: oneWord('clean', 'raw'),
    expected: '"clean" or "raw"',
    description: 'Whether hidden characters are taken out of what servers send, or stay.',
    default: '"clean"',
    example: 'raw',
  },
  streamAfterMs: {
    shape: wholeNumber(0, 600_000),
    expected: 'a whole number from 0 to 600000 (milliseconds)',
    description:
      'After how long the answer to a request becomes an event stream, so that proxies do not give up on a long call.',
    default: '1000',
    example: 5_000,
  },
} as const satisfies FieldTable;

/** `settings.gateway`: what holds where this program serves others. */
export interface GatewaySettings {
  readonly presets?: Readonly<Record<string, GatewayPreset>>;
  readonly ask?: 'client' | 'deny';
  readonly park?: boolean;
  readonly results?: 'clean' | 'raw';
  readonly streamAfterMs?: number;
  /** What is written and cannot be read: names of fields, and of presets as `@name`. */
  readonly unread?: readonly string[];
}

/** A named set of servers and tools. */
export interface GatewayPreset {
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly list?: 'all' | 'search' | 'auto';
}
