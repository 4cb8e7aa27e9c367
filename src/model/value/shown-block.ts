import type { ProfileName } from '../profiles/profile.js';

/** What the tool block and the system text of a conversation show its model in every turn, in tokens. */
export interface ShownBlock {
  readonly profile: ProfileName;
  /** The context window that the conversation was planned for. */
  readonly contextTokens: number;
  readonly toolSearch: 'auto' | 'always' | 'never';
  /** Whether the model can search for tools, and definitions be left out for that. */
  readonly canSearch: boolean;
  /** Definitions of the host's own tools. */
  readonly builtIns: number;
  /** The system text, instructions included. */
  readonly system: number;
  readonly servers: readonly ShownServer[];
}

/** The part of one server. */
export interface ShownServer {
  readonly name: string;
  /** Definitions that every turn sends. */
  readonly loaded: number;
  /** Definitions that the model has to search for. */
  readonly deferred: number;
  readonly instructions: number;
  /** How many tools there are, loaded and deferred. */
  readonly count: number;
  /** The names of all tools: what every turn sends of them where they have to be searched for. */
  readonly names: number;
  /** Definitions that stay loaded where others are searched for, because the entry or the server says so. */
  readonly always: number;
  /** The part of `always` that the server itself marks: no entry can change that. */
  readonly marked: number;
  /** The loaded tools by the names that the model knows, those with the most tokens first; bounded. */
  readonly tools: ReadonlyMap<string, ShownTool>;
}

/** A loaded tool. */
export interface ShownTool {
  readonly tokens: number;
  /** The name at the server, where it is known. */
  readonly own?: string | undefined;
}

/** The server's part of every turn: what it costs whether it is used or not. */
export function turnCostOf({ loaded, instructions }: Pick<ShownServer, 'loaded' | 'instructions'>): number {
  return loaded + instructions;
}
