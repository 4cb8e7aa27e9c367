import { unreachable } from '../../../src/base/never.js';
import { anthropicDialect, type AnthropicTurn } from '../../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../../fixtures/openai-dialect.js';
import { type Json, openScriptedApi, type Reply, type ScriptedApi } from '../../fixtures/scripted-api.js';

export const APIS = ['anthropic', 'openai'] as const;
export type Api = (typeof APIS)[number];

/** One response of the model, for either API: its reasoning, its text, its tool calls. */
export interface Line {
  readonly think?: string;
  readonly say?: string;
  readonly uses?: readonly (readonly [name: string, input?: Json])[];
  /** The id of its call; by default numbered. */
  readonly id?: string;
  /** Blocks that only Anthropic has; they come before the text. */
  readonly blocks?: readonly Json[];
  /** The stop reason, where the default is wrong. */
  readonly stop?: string;
  /** What the API does instead: refuses, never responds, or in the middle cuts the connection or stalls. */
  readonly but?: 'refuses' | 'is silent' | 'breaks off' | 'stops';
  /** Answers only a request that contains this text. */
  readonly to?: string;
}

/** An endpoint may add tools that it runs itself (`web_search`) and that no request names. */
const anthropic: typeof anthropicDialect = {
  ...anthropicDialect,
  misreadings: (turn, body) => anthropicDialect.misreadings(turn, body).filter((why) => !why.endsWith(' web_search')),
};

export function openApi(api: Api, next: (body: Json) => Line): Promise<ScriptedApi> {
  let count = 0;
  const id = (): string => `${api === 'anthropic' ? 'toolu' : 'call'}_${++count}`;
  return api === 'anthropic'
    ? openScriptedApi(anthropic, (_, body) => toReply(next(body), (line) => toBlocks(line, id)))
    : openScriptedApi(openaiDialect, (_, body) => toReply(next(body), (line) => toMessage(line, id)));
}

function toReply<Turn extends object>(line: Line, toTurn: (line: Line) => Turn): Reply<Turn> {
  switch (line.but) {
    case 'refuses':
      return { mischief: 'refuse', status: 400, body: { error: { message: line.say ?? 'no' } } };
    case 'is silent':
      return undefined;
    case 'breaks off':
      return { mischief: 'cut', turn: toTurn(line), share: 0.7 };
    case 'stops':
      return { mischief: 'stall', turn: toTurn(line), share: 0.7 };
    case undefined:
      return toTurn(line);
    default:
      return unreachable(line.but);
  }
}

function toBlocks({ think, blocks = [], say, uses = [], stop }: Line, id: () => string): AnthropicTurn {
  const said = [
    ...(think === undefined ? [] : [{ type: 'thinking', thinking: think, signature: `sig-${think.length}` }]),
    ...blocks,
    ...(say === undefined ? [] : [{ type: 'text', text: say }]),
    ...uses.map(([name, input = {}]) => ({ type: 'tool_use', id: id(), name, input })),
  ];
  return stop === undefined ? said : { blocks: said, stop };
}

function toMessage({ think, say, uses = [], id: own, stop }: Line, id: () => string): OpenaiTurn {
  return {
    ...(think !== undefined && { reasoning_content: think }),
    ...(say !== undefined && { content: say }),
    ...(uses.length > 0 && {
      calls: uses.map(([name, input = {}]) => ({ id: own ?? id(), name, arguments: JSON.stringify(input) })),
    }),
    ...(stop !== undefined && { finish: stop }),
  };
}
