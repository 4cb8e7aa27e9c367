/** What servers cost models and what they brought, from the ledger of this user's hosts. All tokens are estimates. */
export interface ValueReport {
  /** How many days were asked for. */
  readonly days: number;
  /** The beginning of these days: ISO 8601, UTC. */
  readonly from: string;
  /** The moment of the report. */
  readonly to: string;
  /** How much is known. */
  readonly ledger: LedgerExtent;
  /** Turns of all conversations, those of sub-agents included. */
  readonly turns: number;
  /** Of all servers together: changes in one turn would have been one break. */
  readonly cacheBreaksAvoided: CacheBreaks;
  /** The servers that were told of or called, or that the configuration has; the one that took most tokens first. */
  readonly servers: readonly ServerValue[];
  /** The host's own tools, and tools that the provider of a model ran, as far as they were called. */
  readonly builtIns: readonly ToolValue[];
}

/** How far the ledger goes back, and what is missing in it. */
export interface LedgerExtent {
  /** The folder of its files; absent where nothing is kept. */
  readonly folder?: string;
  /** The earliest line that there still is; absent for an empty ledger. */
  readonly since?: string;
  /** The earliest turn: an older version recorded calls alone. */
  readonly turnsSince?: string;
  /** Calls that could not be recorded, because the disk was full or too slow. */
  readonly lostCalls: number;
  /** Turns that could not be recorded. */
  readonly lostTurns: number;
  /** Turns of which only the number is known: what they showed is no longer in the ledger. */
  readonly unknownTurns: number;
  /** Lines that are later than now, of a clock that was wrong; not counted. */
  readonly futureLines: number;
  /** Lines that are truncated, too long or not the ledger's; not counted. */
  readonly skippedLines: number;
  /** Files that could not be read. */
  readonly unread: readonly UnreadFile[];
}

/** A file of the ledger that could not be read. */
export interface UnreadFile {
  /** Its path. */
  readonly file: string;
  /** Why not, in a sentence. */
  readonly reason: string;
}

/** Changes of definitions and instructions that a prompt cache would not have survived, had the prompt followed them. */
export interface CacheBreaks {
  /** How many turns had such a change. */
  readonly count: number;
  /** The tokens that would have been read again. */
  readonly tokens: number;
}

/** What a tool or a server took and gave. */
export interface UseValue {
  /** Calls that were made. */
  readonly calls: number;
  /** Calls that failed, or whose outcome is unknown. */
  readonly errors: number;
  /** Calls that a rule, a hook, a policy or a person refused; not in `calls`. */
  readonly denied: number;
  /** Calls that were given up before they ended; in `calls`, and no errors. */
  readonly cancelled: number;
  /** Tokens of all results. */
  readonly results: number;
  /** Milliseconds of all calls, without the time spent waiting for a person, a hook or a server that was away. */
  readonly ms: number;
  /** The end of the last call; absent without one. */
  readonly lastUsed?: string;
}

/** One server. Servers are told apart by name: two projects' servers of one name are counted together. */
export interface ServerValue extends UseValue {
  /** The name of the server. */
  readonly name: string;
  /** Whether the configuration of this folder has a server of this name. */
  readonly configured: boolean;
  /** Turns whose model was shown the server, if only names to search for. */
  readonly turns: number;
  /** Turns in which its definitions or instructions took tokens. */
  readonly toldTurns: number;
  /** The first of these turns; absent without one. */
  readonly firstTold?: string;
  /** The last of these turns; absent without one. */
  readonly lastTold?: string;
  /** Tokens of definitions that each turn takes, as of the last one. */
  readonly definitions: number;
  /** Tokens of definitions that the model has to search for, as of the last turn. */
  readonly deferred: number;
  /** Tokens of instructions that each turn takes, as of the last one. */
  readonly instructions: number;
  /** Tokens of definitions and instructions of all turns together. */
  readonly told: number;
  /** What its changes did not cost. */
  readonly cacheBreaksAvoided: CacheBreaks;
  /** The tools that were told of or called. */
  readonly tools: readonly ToolValue[];
  /** What to do about it; absent for a server that is worth its tokens, and where too little is known. */
  readonly advice?: ValueAdvice;
}

/** One tool. */
export interface ToolValue extends UseValue {
  /** The name that models know. */
  readonly name: string;
  /** The name at the server, where it is known. */
  readonly tool?: string;
  /** Tokens of its definition that each turn takes, as of the last one; absent where the last turn did not show it. */
  readonly definition?: number;
  /** Turns that took these tokens. */
  readonly toldTurns: number;
}

/** Why a server costs more than it brings, and what to do. */
export interface ValueAdvice {
  /**
   * `unused`: told for at least 7 days or in 20 turns, and never called. `failing`: more than half of at least 5 calls
   * failed. `unused-tools`: tools that were told as long and never called take at least half of its definitions.
   */
  readonly reason: 'unused' | 'failing' | 'unused-tools';
  /** The same in a sentence, with the numbers. */
  readonly why: string;
  /** The tools in question; of `unused-tools` alone. */
  readonly unusedTools?: readonly string[];
  /** Any one of these helps; those for this server alone come first. Empty where no file of the user decides. */
  readonly steps: readonly AdviceStep[];
}

/** One way to have a server cost less. */
export interface AdviceStep {
  /** `defer`: the model searches for its tools. `narrow`: only the tools that are used. `disable`: not at all. */
  readonly kind: 'defer' | 'narrow' | 'disable';
  /** Tokens that the next conversation takes less a turn. */
  readonly saves: number;
  /** What to write; all of it. Empty where no file has the server. */
  readonly edits: readonly AdviceEdit[];
  /** It changes what is shown of all servers, and `saves` counts all of them. */
  readonly isOfAll?: true;
  /** A command that does the same. */
  readonly command?: string;
  /** What else this does. */
  readonly note?: string;
}

/** One line of configuration. */
export interface AdviceEdit {
  /** The file that it belongs to, which need not exist yet. */
  readonly file: string;
  /** Where the object is that it belongs to, counted from 1; absent where there is none yet. */
  readonly line?: number;
  /** The path of that object in the file, such as `mcpServers.notes`; empty for the top. */
  readonly path: string;
  /** The file does not exist: write the field between braces. */
  readonly isNewFile?: true;
  /** The field as it has to be there, such as `"disabled": true`. */
  readonly write?: string;
  /** The field is there already, on that line: replace it. */
  readonly replaces?: true;
  /** The field to take out, such as `"alwaysLoad"`. */
  readonly remove?: string;
}
