import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import { systemClock } from '../edge/clock.js';
import { TimeSlice } from '../edge/time-slice.js';
import { digest, digestMany } from '../edge/files/digest.js';
import type { Clock } from '../model/clock.js';
import {
  CHANGED,
  checkPins,
  setAllAside,
  NOTHING_PINNED,
  type PinKind,
  type PinnedItem,
  type PinVerdict,
} from '../model/pins/check-pins.js';
import type { InstalledPackage } from '../model/pins/lock.js';
import {
  type PinnablePrompt,
  type PinnedDefinition,
  toPin,
  toPinnedInstructions,
  toPinnedPrompt,
  toPinnedTool,
} from '../model/pins/pinned-text.js';
import type { ServerLock, ServerLocks } from '../model/pins/server-lock.js';
import type { ToolDefinition } from '../model/tool.js';

/** What a server offers, for instance its `Catalog`. Contract: must not throw. */
export interface PinOffer {
  readonly instructions: string | undefined;
  readonly tools: readonly { readonly name: string }[];
  readonly prompts: readonly { readonly name: string }[];
  tool(name: string): Promise<ToolDefinition | undefined>;
  prompt(name: string): Promise<PinnablePrompt | undefined>;
}

export interface PinCheck {
  readonly offer: PinOffer;
  /** Changes whenever what the server offers may have changed. */
  readonly revision: string | number;
  /** Called only when the lock names a package. */
  readonly installed?: () => InstalledPackage | undefined;
  /** Called only when the lock has files. */
  readonly files?: () => ReadonlyMap<string, string> | undefined;
}

/** A verdict, with the reason for each item that is set aside, by name. */
export interface CheckedPins extends PinVerdict {
  readonly isPinned: boolean;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  readonly instructions: string | undefined;
}

export interface PinsOptions {
  /** The current locks; called for every check. */
  readonly locks: () => ServerLocks;
  readonly clock: Clock;
}

/**
 * Compares what servers offer with the pins of `mcp.lock`. Hashes nothing for a server without a lock; checks a list
 * once, until it or the lock changes. Between a change and the end of `check` there is no verdict: pinned items wait,
 * and `judgeTool` decides at each call.
 */
export class Pins {
  readonly #locks: () => ServerLocks;
  readonly #clock: Clock;
  readonly #checks = new Map<string, Check>();

  constructor({ locks, clock }: PinsOptions) {
    this.#locks = locks;
    this.#clock = clock;
  }

  isPinned(server: string): boolean {
    return this.#locks().has(server);
  }

  /** Whether the server has a lock, and the lock does not have this tool. */
  isUnpinned(server: string, tool: string): boolean {
    const lock = this.#locks().get(server);
    return lock?.kind === 'pinned' && !lock.pins.tools.has(tool);
  }

  /** Never rejects. */
  async check(server: string, asked: PinCheck): Promise<CheckedPins> {
    const { offer, revision } = asked;
    const lock = this.#locks().get(server);
    if (!lock) {
      this.#checks.delete(server);
      return UNPINNED;
    }
    const known = this.#checks.get(server);
    if (known?.stamp === lock.stamp && known.revision === revision) return known.ended;
    const ended = this.#look(lock, asked).catch(() => toChecked(setAllAside(offer, UNREAD)));
    const check: Check = { stamp: lock.stamp, revision, ended, verdict: undefined };
    this.#checks.set(server, check);
    check.verdict = await ended;
    return check.verdict;
  }

  /** The last check's verdict. Undefined while a lock exists and has not been checked since it changed. */
  verdict(server: string): CheckedPins | undefined {
    const lock = this.#locks().get(server);
    if (!lock) return UNPINNED;
    const check = this.#checks.get(server);
    return check?.stamp === lock.stamp ? check.verdict : undefined;
  }

  /** Why this tool, as defined now, may not be called; undefined when it is not pinned, or matches its pin. */
  judgeTool(server: string, tool: ToolDefinition): string | undefined {
    return this.#judge(server, 'tools', { name: tool.name, toDefinition: () => toPinnedTool(tool) });
  }

  judgePrompt(server: string, prompt: PinnablePrompt): string | undefined {
    return this.#judge(server, 'prompts', { name: prompt.name, toDefinition: () => toPinnedPrompt(prompt) });
  }

  #judge(
    server: string,
    list: 'tools' | 'prompts',
    { name, toDefinition }: { readonly name: string; readonly toDefinition: () => PinnedDefinition },
  ): string | undefined {
    const lock = this.#locks().get(server);
    if (!lock) return undefined;
    if (lock.kind === 'broken') return lock.reason;
    const pin = lock.pins[list].get(name);
    return pin === undefined || toPin(toDefinition(), digest) === pin ? undefined : CHANGED;
  }

  async #look(lock: ServerLock, { offer, installed, files }: PinCheck): Promise<CheckedPins> {
    if (lock.kind === 'broken') return toChecked(setAllAside(offer, lock.reason));
    const { pins, entry } = lock;
    const offered = await offeredPins(offer, { clock: this.#clock });
    const found = pins.package && installed?.();
    const now = pins.files && files?.();
    return toChecked(checkPins(pins, { ...offered, entry, package: found, files: now }));
  }
}

interface Check {
  readonly stamp: string;
  readonly revision: string | number;
  readonly ended: Promise<CheckedPins>;
  verdict: CheckedPins | undefined;
}

export interface OfferedDefinitions {
  readonly instructions: string | undefined;
  readonly tools: readonly PinnedItem[];
  readonly prompts: readonly PinnedItem[];
}

/** Pins of everything that a server offers. In time slices: 10,000 tools in one go would block the event loop. */
export async function offeredPins(
  offer: PinOffer,
  {
    clock = systemClock,
    see = () => {},
  }: { readonly clock?: Clock; readonly see?: (pin: string, definition: PinnedDefinition) => void } = {},
): Promise<OfferedDefinitions> {
  const turns = new TimeSlice(clock);
  const hex = offer.tools.length + offer.prompts.length > FEW ? digestMany : digest;
  const pinOf = async (read: Promise<PinnedDefinition | undefined>): Promise<string | undefined> => {
    await turns.pause();
    const definition = await read;
    if (!definition) return undefined;
    const pin = toPin(definition, hex);
    see(pin, definition);
    return pin;
  };
  const tools: PinnedItem[] = [];
  const prompts: PinnedItem[] = [];
  for (const { name } of offer.tools) {
    tools.push({ name, pin: await pinOf(offer.tool(name).then((tool) => tool && toPinnedTool(tool))) });
  }
  for (const { name } of offer.prompts) {
    prompts.push({ name, pin: await pinOf(offer.prompt(name).then((prompt) => prompt && toPinnedPrompt(prompt))) });
  }
  const said = offer.instructions;
  const instructions = said === undefined ? undefined : await pinOf(Promise.resolve(toPinnedInstructions(said)));
  return { tools, prompts, instructions };
}

/** The error for an item that is set aside. `what`: a tool or a prompt, by name. */
export function setAside(what: string, server: string, reason: string): HostError {
  return new HostError('definition-changed', `${what} of server "${server}" is set aside: ${reason}`, {
    hint: `See what is different: plugboard approve --diff ${nameWord(server)}`,
  });
}

/** A definition that cannot be compared counts as changed. */
export const UNCOMPARED = 'its definition cannot be read, so that it cannot be compared with mcp.lock';
/** The reason when an offer breaks its contract: everything is set aside. */
const UNREAD = 'its definitions could not be read, and mcp.lock pins them';
const FEW = 15; // from this many on, loading node:crypto takes less time than hashing in JavaScript

function toChecked(verdict: PinVerdict): CheckedPins {
  const reasons = (wanted: PinKind): ReadonlyMap<string, string> =>
    new Map(verdict.aside.filter(({ kind }) => kind === wanted).map(({ name, reason }) => [name, reason]));
  const instructions = verdict.aside.find(({ kind }) => kind === 'instructions')?.reason;
  return { ...verdict, isPinned: true, tools: reasons('tool'), prompts: reasons('prompt'), instructions };
}

const UNPINNED: CheckedPins = {
  ...NOTHING_PINNED,
  isPinned: false,
  tools: new Map(),
  prompts: new Map(),
  instructions: undefined,
};
