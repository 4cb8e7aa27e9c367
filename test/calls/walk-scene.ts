import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { PermissionAnswer, PermissionQuestion } from '../../src/guard/permission-question.js';
import { type LedgerLine, parseLedgerLine } from '../../src/model/ledger-entry.js';
import type { ContentBlock } from '../../src/model/content/content-block.js';
import type { ToolResult } from '../../src/model/tool.js';
import { openScene, type Scene } from '../host/scene.js';

/** A scene with servers whose tools the test defines. */
export interface WalkScene extends Scene {
  /** An entry for a server with these tools: names, or definitions. */
  walking(tools: readonly WalkTool[], env?: Record<string, string>): Record<string, unknown>;
  /** A server whose tools a test can replace while it runs; its additional tool `announce` sends list_changed. */
  changing(tools: readonly WalkTool[]): {
    readonly entry: Record<string, unknown>;
    set(tools: readonly WalkTool[]): void;
  };
  /** Opens a host and waits until its servers have connected or failed. */
  settle(options?: HostOptions): Promise<Host>;
  /** The calls that the servers received, line by line: `begin tool key`. */
  journalLines(): readonly string[];
  /** The ledger's lines of calls; closes the host first, so that none is missing. */
  ledgerOf(host: Host): Promise<readonly LedgerLine[]>;
  /** The ledger file. */
  ledgerText(): string;
}

export type WalkTool = string | { readonly name: string; readonly [field: string]: unknown };

export function openWalk(): WalkScene {
  const scene = openScene();
  const { home, journal } = scene;
  const ledgerFile = join(home, '.local/state/plugboard/ledger/calls.jsonl');
  const entryWith = (env: Record<string, string>): Record<string, unknown> => ({
    command: process.execPath,
    args: [resolve(import.meta.dirname, 'walk-server.mjs')],
    env: { JOURNAL: journal, ...env },
  });
  let files = 0;
  return {
    ...scene,
    walking: (tools, env = {}) => entryWith({ TOOLS: JSON.stringify(tools), ...env }),
    changing(tools) {
      const file = join(home, `tools-${++files}.json`);
      const set = (now: readonly WalkTool[]): void => writeFileSync(file, JSON.stringify([...now, 'announce']));
      set(tools);
      return { entry: entryWith({ TOOLS_FILE: file }), set };
    },
    async settle(options = {}) {
      const { host } = await scene.open({ watch: false, ...options });
      await host.settled();
      return host;
    },
    journalLines: () =>
      readFileSync(journal, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => line.trim()),
    async ledgerOf(host) {
      await host[Symbol.asyncDispose]();
      return readFileSync(ledgerFile, 'utf8')
        .split('\n')
        .filter(Boolean)
        .flatMap((line) => (parseLedgerLine(line) ?? []) as LedgerLine);
    },
    ledgerText: () => readFileSync(ledgerFile, 'utf8'),
  };
}

/** The text of a result, one line for each block; `[type]` for blocks without text. */
export function textOf({ content }: Pick<ToolResult, 'content'>): string {
  return content.map(toText).join('\n');
}

function toText({ type, text }: ContentBlock): string {
  return typeof text === 'string' ? text : `[${type}]`;
}

/** A user who gives these answers in turn, the last one for all later questions; `asked` has the questions. */
export function person(...answers: readonly PermissionAnswer[]): {
  readonly asked: PermissionQuestion[];
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
} {
  const asked: PermissionQuestion[] = [];
  return {
    asked,
    async ask(question) {
      asked.push(question);
      return answers[Math.min(asked.length, answers.length) - 1]!;
    },
  };
}

/** The mode in which the rules of the settings decide. */
export const ASKING = { mode: 'default' } as const;
export const ONCE = { kind: 'allow', remember: 'once' } as const;
export const SESSION = { kind: 'allow', remember: 'session' } as const;
export const NO = { kind: 'deny' } as const;
