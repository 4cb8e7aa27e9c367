import { unreachable } from '../../base/never.js';
import { placeText } from '../../model/permissions/decision.js';
import type { Decision } from '../../model/permissions/decision.js';
import { statedLine } from '../../model/stated-hints.js';
import type { Tool } from '../../model/tool.js';
import { quotedRows, ownRows } from '../session/display/quoted-rows.js';
import type { ItemData } from './item-data.js';
import type { ServerTokens } from './tokens/context-cost.js';
import { tokenText } from './tokens/token-text.js';

export interface ItemLook {
  readonly columns: number;
  /** What the tools of the server cost a model, by name; undefined until counted. */
  readonly tokens: ServerTokens['tools'];
}

const UNSEEN = 'Tokens: none, because no model is shown this tool';

/** Everything known about one item that a server offers. Text of the server stands behind bars. */
export function itemRows(data: ItemData, { columns, tokens }: ItemLook): string[] {
  const own = (text: string): string[] => ownRows(text, columns, 4);
  const said = (title: string, text: string): string[] =>
    text.trim() === '' ? [] : ['', title, ...quotedRows(text.trim(), columns)];
  switch (data.kind) {
    case 'reading':
      return ['Reading …'];
    case 'gone':
      return own('The server no longer offers this, or its definition could not be read.');
    case 'tool': {
      const { tool, definition, stated, decision } = data;
      const cost = tokens?.get(tool.name);
      return [
        ...own(`Called: ${tool.name}`),
        ...(tool.title === undefined ? [] : own(`Title: ${tool.title}`)),
        ...own(statedLine({ hints: definition.hints, stated })),
        ...own(`Permission: ${decisionText(decision)}`),
        ...(tokens ? own(cost === undefined ? UNSEEN : `Tokens: about ${tokenText(cost)}`) : []),
        ...said('Description', definition.description),
        ...said('Input', schemaText(definition.inputSchema)),
        ...said('Output', definition.outputSchema ? schemaText(definition.outputSchema) : ''),
      ];
    }
    case 'prompt': {
      const { command, title, description, arguments: taken } = data.prompt;
      return [
        ...own(
          `Typed: ${command}${taken.map(({ name, required }) => (required ? ` ${name}` : ` [${name}]`)).join('')}`,
        ),
        ...(title === undefined ? [] : own(`Title: ${title}`)),
        ...said('Description', description),
        ...(taken.length === 0 ? ['', 'The prompt takes no arguments.'] : ['', 'Arguments']),
        ...taken.flatMap(({ name, description: about, required }) =>
          quotedRows(`${name}${required ? '' : ' (optional)'}${about === '' ? '' : `: ${about}`}`, columns),
        ),
      ];
    }
    case 'resource': {
      const { resource } = data;
      const { name, title, mimeType, description } = resource;
      const size = 'size' in resource ? resource.size : undefined;
      return [
        ...own('uri' in resource ? `URI: ${resource.uri}` : `URI template: ${resource.uriTemplate}`),
        ...own(`Name: ${name}`),
        ...(title === undefined ? [] : own(`Title: ${title}`)),
        ...own(`Type: ${mimeType ?? 'not stated'}`),
        ...(size === undefined ? [] : own(`Size: ${size} bytes, as stated by the server`)),
        ...said('Description', description),
      ];
    }
    case 'skill': {
      const { uri, name, description } = data.skill;
      return [...own(`Skill: ${name}`), ...own(`URI: ${uri}`), ...said('Description', description)];
    }
    case 'set-aside':
      return [...own(`Tool: ${data.tool}`), ...own(`Hidden from the model: ${data.reason}`)];
    default:
      return unreachable(data);
  }
}

/** A word for a list of tools: what the server states, never a default of the specification. */
export function hintWord({ hints, marks }: Pick<Tool, 'hints' | 'marks'>): string {
  if (hints.readOnly) return 'reads';
  if (marks.saysDestructive) return 'may destroy';
  return hints.destructive ? 'not stated' : 'changes';
}

export function verdictWord(decision: Decision | undefined): string {
  return decision ? VERDICTS[decision.behavior] : '?';
}

const VERDICTS = { allow: 'allowed', ask: 'asks', deny: 'denied' } as const;

function decisionText(decision: Decision | undefined): string {
  if (!decision) return 'unknown';
  const { by, reason } = decision;
  const place = 'file' in by && by.file !== undefined ? ` (${placeText({ ...by, file: by.file })})` : '';
  return `${verdictWord(decision)}: ${reason}${place}`;
}

/** A schema, cut to what a person would read: `plugboard tools --json` has all of it. */
function schemaText(schema: object): string {
  const text = JSON.stringify(schema, undefined, 2);
  const lines = text.slice(0, SCHEMA_CHARACTERS).split('\n');
  const isCut = lines.length > SCHEMA_LINES || text.length > SCHEMA_CHARACTERS;
  return isCut ? [...lines.slice(0, SCHEMA_LINES), '… more follows'].join('\n') : lines.join('\n');
}

const SCHEMA_CHARACTERS = 64_000;
const SCHEMA_LINES = 600;
