import { unreachable } from '../../base/never.js';
import { shorten } from '../../base/shorten.js';
import { type SkillChange, toSkillWords } from './model-view-skills.js';
import { toList, toName } from './model-view-system.js';

/** A difference from what the model was told. */
export type ViewChange = { readonly server: string } & (
  | { readonly kind: 'state'; readonly state: 'here' | 'gone' | 'failed' | 'needs-auth' }
  | { readonly kind: 'added'; readonly names: readonly string[] }
  /** Removed tools that are offered again, and whose definitions the model has read. */
  | { readonly kind: 'back'; readonly names: readonly string[] }
  /** Tools beyond what a conversation can add. */
  | { readonly kind: 'unreachable'; readonly names: readonly string[] }
  | { readonly kind: 'removed'; readonly names: readonly string[] }
  /** A definition in the block has changed. */
  | { readonly kind: 'changed'; readonly name: string; readonly definition: object | undefined }
  /** Definitions outside the block have changed; the model has to search for these tools anyway. */
  | { readonly kind: 'other'; readonly names: readonly string[] }
  /** `before`: the instructions that the model knows. */
  | { readonly kind: 'instructions'; readonly text: string | undefined; readonly before: string }
  | { readonly kind: 'resources' }
  | ({ readonly kind: 'skills' } & SkillChange)
);

export interface News {
  readonly text: string | undefined;
  /** Changes without room, to be reported with the next turn, because a model cannot look them up. */
  readonly unreported: readonly UnlistedChange[];
}

/** A change of what no tool lists: instructions and skills. */
export type UnlistedChange = ViewChange & { readonly kind: 'instructions' | 'skills' };

export interface NewsOptions {
  readonly defers: 'native' | 'by-call';
  /** What the changes are compared with. `left`: what the model knew when the conversation was left. */
  readonly since?: keyof typeof HEADS;
}

/** A message about the changes; bounded, however many there are. */
export function toNews(changes: readonly ViewChange[], { defers, since = 'turn' }: NewsOptions): News {
  if (changes.length === 0) return { text: undefined, unreported: [] };
  const lines: string[] = [];
  const unreported: UnlistedChange[] = [];
  const head = HEADS[since];
  let space = NEWS_LIMIT - head.length - TAIL;
  let more = 0;
  const how = since === 'left' ? 'listed' : defers;
  for (const change of changes) {
    const line = [change, toShort(change)].map((one) => toLine(one, how)).find((one) => one.length < space);
    if (line !== undefined) {
      space -= line.length + 1;
      lines.push(line);
    } else if (change.kind === 'instructions' || change.kind === 'skills') unreported.push(change);
    else more++;
  }
  if (more > 0) lines.push(`- And ${more} more changes, too long to be told here; ToolSearch knows the tools`);
  return { text: `${head}\n${lines.join('\n')}`, unreported };
}

/** The change in one line, for a report. */
export function toHeadline(change: ViewChange): string {
  return shorten(toWords(change, 'native').split('\n', 1)[0]!, HEADLINE);
}

function toLine(change: ViewChange, how: keyof typeof HOW): string {
  return `- ${toWords(change, how)}`;
}

/** Leaves out the definition, to save room. */
function toShort(change: ViewChange): ViewChange {
  return change.kind === 'changed' ? { ...change, definition: undefined } : change;
}

function toWords(change: ViewChange, how: keyof typeof HOW): string {
  const server = JSON.stringify(toName(change.server));
  switch (change.kind) {
    case 'state':
      return `Server ${server} ${STATES[change.state]}`;
    case 'added':
      return `Server ${server} has new tools: ${toList(change.names)}. ${HOW[how]}`;
    case 'back':
      return `Server ${server} has these tools again: ${toList(change.names)}. They are called as before`;
    case 'unreachable':
      return `Server ${server} has ${change.names.length} more tools, which this conversation cannot use`;
    case 'removed':
      return `Server ${server} does not have these tools any more: ${toList(change.names)}. Do not call them`;
    case 'changed':
      return `Server ${server} has changed ${change.name}. ${toDefinition(change.definition)}`;
    case 'other':
      return `Server ${server} has changed these tools: ${toList(change.names)}. Look them up again before calling them`;
    case 'instructions':
      return change.text === undefined
        ? `The instructions of server ${server} do not hold any more`
        : `Server ${server} has ${change.before === '' ? 'instructions' : 'other instructions now'}. In its own words:\n${quote(shorten(change.text, QUOTE_LIMIT))}`;
    case 'resources':
      return `Server ${server} has resources now, which ListMcpResources lists and ReadMcpResource reads${RESOURCES[how]}`;
    case 'skills':
      return `Server ${server} ${toSkillWords(change)}${change.told.length > 0 ? SKILLS[how] : ''}`;
    default:
      return unreachable(change);
  }
}

function toDefinition(definition: object | undefined): string {
  const text = definition && JSON.stringify(definition);
  if (text === undefined || text.length > QUOTE_LIMIT) return 'A call that does not fit is answered with what does';
  return `This holds now, in its own words:\n${quote(text)}`;
}

/** Marks every line as a server's, so that none can pass for the host's or the user's. */
function quote(text: string): string {
  return text.trim().replaceAll(/^/gm, '> ');
}

const HEADS = {
  turn: '[From the host, not from the user: MCP servers have changed since the last turn. Lines that begin with > are the words of a server.]',
  start:
    '[From the host, not from the user: MCP servers have changed since this conversation began; where this differs from what you read above, this holds. Lines that begin with > are the words of a server.]',
  left: '[From the host, not from the user: this conversation was left and goes on now. Your tools, and what is said about servers at the beginning, are those of now. MCP servers have changed since you read of them last. Lines that begin with > are the words of a server.]',
} as const;
const STATES = {
  here: 'can be used now',
  gone: 'is not there any more; its tools cannot be used',
  failed: 'has failed; its tools cannot be used for now',
  'needs-auth': 'needs the user to sign in before its tools can be used',
} as const;
const HOW = {
  native: 'Find their definitions with ToolSearch',
  'by-call': 'Find their definitions with ToolSearch, and call them with CallMcpTool',
  listed: 'They are among your tools, or ToolSearch finds them',
} as const;
const SKILLS = {
  native: '',
  listed: '',
  'by-call': '\nCall Skill with CallMcpTool if it is not among your tools',
} as const;
const RESOURCES = {
  native: '',
  listed: '',
  'by-call': '; call these with CallMcpTool if they are not among your tools',
} as const;
const NEWS_LIMIT = 10_000;
const TAIL = 120;
const QUOTE_LIMIT = 4_000;
const HEADLINE = 300;
