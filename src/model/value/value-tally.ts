import type { LedgerGap, LedgerLine } from '../ledger-entry.js';
import { type ShownServer, turnCostOf } from './shown-block.js';
import { type BlockLine, toAmount, type TurnGap, type TurnLine } from './turn-line.js';

/** In how many turns a model was told of something. */
export interface TurnTally {
  /** Turns in which that took tokens. */
  toldTurns: number;
  firstTold: string | undefined;
  lastTold: string | undefined;
}

/** What the ledger says of one server in the days that were asked for. */
export interface ServerTally extends CallTally, TurnTally {
  readonly name: string;
  /** Turns in which the model was shown the server: its definitions, its instructions, or names to search for. */
  turns: number;
  /** Tokens of definitions and of instructions, of all turns together. */
  definitionTokens: number;
  instructionTokens: number;
  /** Turns that changes of the server would have had the provider read again, and the tokens. */
  breaks: number;
  breakTokens: number;
  readonly tools: Map<string, ToolTally>;
  /** The last block that showed the server: of a session, or else of a sub-agent. */
  last: LastBlock | undefined;
}

export interface ToolTally extends CallTally, TurnTally {}

/** Calls of a tool or of a server. */
export interface CallTally {
  calls: number;
  errors: number;
  /** Not made: refused by a rule, a hook, a policy or a person. */
  denied: number;
  /** Given up before they ended. */
  cancelled: number;
  resultTokens: number;
  /** Without the time spent waiting for a person, a hook, or a server that was away. */
  ms: number;
  lastUsed: string | undefined;
}

export interface LastBlock {
  readonly at: string;
  readonly line: BlockLine;
  readonly server: ShownServer;
}

export interface TallyWindow {
  /** ISO 8601, UTC. Lines before are not counted. */
  readonly from: string;
  /** Lines after are of a clock that went wrong, and not counted. */
  readonly to: string;
}

/** Adds up the lines of a ledger, oldest first. Bounded, whatever the lines say. */
export class ValueTally {
  readonly #window: TallyWindow;
  readonly #blocks = new Map<string, BlockLine>();
  /** The turns of each block: one block serves many, so its servers are added up once. */
  readonly #turns = new Map<string, TurnTally>();
  readonly servers = new Map<string, ServerTally>();
  /** The host's own tools, and those that the provider of a model runs. */
  readonly own = new Map<string, ToolTally>();
  /** The earliest lines that there are, also before the window. */
  since: string | undefined;
  turnsSince: string | undefined;
  turns = 0;
  /** Turns whose block is not in the ledger any more. */
  unknownTurns = 0;
  breaks = 0;
  breakTokens = 0;
  lost = 0;
  lostTurns = 0;
  /** Lines that are later than now. */
  future = 0;
  /** Lines beyond what is held in memory. */
  beyond = 0;
  #tools = 0;

  constructor(window: TallyWindow) {
    this.#window = window;
  }

  add(line: LedgerLine | LedgerGap | TurnLine | BlockLine | TurnGap): void {
    const { at } = line;
    if (!TIME.test(at)) return;
    // A block serves later turns, whenever it was written.
    if ('kind' in line && line.kind === 'block') this.#addBlock(line);
    if (at > this.#window.to) {
      this.future++;
      return;
    }
    if (this.since === undefined || at < this.since) this.since = at;
    const isTurn = 'kind' in line && line.kind === 'turn';
    if (isTurn && (this.turnsSince === undefined || at < this.turnsSince)) this.turnsSince = at;
    if (at < this.#window.from) return;
    if (isTurn) this.#addTurn(line);
    else if ('lostTurns' in line) this.lostTurns += line.lostTurns;
    else if ('lost' in line) this.lost += toAmount(line.lost);
    else if (!('kind' in line)) this.#addCall(line);
  }

  #addBlock(line: BlockLine): void {
    // The first has the names of the tools at their servers, which a later one may have forgotten.
    if (this.#blocks.has(line.block)) return;
    if (this.#blocks.size < BLOCKS) this.#blocks.set(line.block, line);
    else this.beyond++;
  }

  #addTurn({ at, block, changes }: TurnLine): void {
    this.turns++;
    const tokens = Math.max(0, ...changes.values());
    if (tokens > 0) this.breaks++;
    this.breakTokens += tokens;
    for (const [name, own] of changes) {
      const server = own > 0 ? this.#serverOf(name) : undefined;
      if (!server) continue;
      server.breaks++;
      server.breakTokens += own;
    }
    const known = this.#turns.get(block);
    if (known) countTurns(known, { toldTurns: 1, firstTold: at, lastTold: at });
    else if (this.#turns.size < BLOCKS) this.#turns.set(block, { toldTurns: 1, firstTold: at, lastTold: at });
    else this.unknownTurns++;
  }

  /** Adds what the blocks of all turns have shown. To be called once, after the last line. */
  finish(): void {
    for (const [block, told] of this.#turns) {
      const line = this.#blocks.get(block);
      if (line) for (const shown of line.shown.servers) this.#addShown(shown, line, told);
      else this.unknownTurns += told.toldTurns;
    }
    this.#turns.clear();
  }

  #addShown(shown: ShownServer, line: BlockLine, told: TurnTally): void {
    const server = this.#serverOf(shown.name);
    if (!server) return;
    const { toldTurns: turns, lastTold: at } = told;
    server.turns += turns;
    server.definitionTokens += turns * shown.loaded;
    server.instructionTokens += turns * shown.instructions;
    if (turnCostOf(shown) > 0) countTurns(server, told);
    for (const tool of shown.tools.keys()) {
      const tally = this.#toolOf(server.tools, tool);
      if (tally) countTurns(tally, told);
    }
    if (at !== undefined && isNewer(server.last, line, at)) server.last = { at, line, server: shown };
  }

  #addCall(call: LedgerLine): void {
    const { server: name, tool, completes } = call;
    // No model asks for completions, and none reads them.
    if (completes !== undefined) return;
    if (typeof name !== 'string') {
      const own = this.#toolOf(this.own, tool);
      if (own) count(own, call);
      return;
    }
    const server = this.#serverOf(name);
    if (!server) return;
    count(server, call);
    const tally = this.#toolOf(server.tools, tool);
    if (tally) count(tally, call);
  }

  #serverOf(name: string): ServerTally | undefined {
    const known = this.servers.get(name);
    if (known) return known;
    if (this.servers.size >= SERVERS) {
      this.beyond++;
      return undefined;
    }
    const server: ServerTally = {
      ...nothing(),
      name,
      turns: 0,
      definitionTokens: 0,
      instructionTokens: 0,
      breaks: 0,
      breakTokens: 0,
      tools: new Map(),
      last: undefined,
    };
    this.servers.set(name, server);
    return server;
  }

  #toolOf(tools: Map<string, ToolTally>, name: string): ToolTally | undefined {
    const known = tools.get(name);
    if (known) return known;
    if (this.#tools >= TOOLS) {
      this.beyond++;
      return undefined;
    }
    this.#tools++;
    const tally = nothing();
    tools.set(name, tally);
    return tally;
  }
}

/** A tool that no turn has told of, and that was never called. */
export function nothing(): ToolTally {
  const calls = { calls: 0, errors: 0, denied: 0, cancelled: 0, resultTokens: 0, ms: 0, lastUsed: undefined };
  return { ...calls, toldTurns: 0, firstTold: undefined, lastTold: undefined };
}

function countTurns(tally: TurnTally, { toldTurns, firstTold, lastTold }: TurnTally): void {
  tally.toldTurns += toldTurns;
  if (tally.firstTold === undefined || (firstTold !== undefined && firstTold < tally.firstTold))
    tally.firstTold = firstTold;
  if (tally.lastTold === undefined || (lastTold !== undefined && lastTold > tally.lastTold)) tally.lastTold = lastTold;
}

function count(tally: CallTally, { at, decision, outcome, code, ms, waitedMs, tokens, attempts }: LedgerLine): void {
  const isUnsent = code !== undefined && (NOT_MADE.has(code) || (attempts === 0 && REFUSED.has(code)));
  if (decision.endsWith('deny') || isUnsent) {
    tally.denied++;
    return;
  }
  tally.calls++;
  if (code === 'cancelled') tally.cancelled++;
  else if (outcome !== 'ok') tally.errors++;
  tally.resultTokens += toAmount(tokens);
  tally.ms += Math.max(0, toAmount(ms) - toAmount(waitedMs));
  if (tally.lastUsed === undefined || at > tally.lastUsed) tally.lastUsed = at;
}

/** Codes of calls that no server was asked for. */
const NOT_MADE: ReadonlySet<string> = new Set(['denied', 'policy-denied', 'not-approved', 'definition-changed']);

/** Codes of calls that reach no server where nothing was tried. */
const REFUSED: ReadonlySet<string> = new Set(['bad-input', 'cancelled', 'overloaded', 'disabled', 'unauthorized']);

/** A sub-agent may be shown less of a server than the session, so its block counts only where there is no other. */
function isNewer(last: LastBlock | undefined, { isOfFork }: BlockLine, at: string): boolean {
  if (!last) return true;
  if (isOfFork !== last.line.isOfFork) return !isOfFork;
  return at >= last.at;
}

const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/u;
const BLOCKS = 20_000;
const SERVERS = 5_000;
const TOOLS = 50_000;
