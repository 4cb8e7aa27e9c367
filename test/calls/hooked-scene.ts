import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookCallback } from '../../src/guard/hook-callback.js';
import type { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { HookRun } from '../../src/model/hooks/hook-run.js';
import type { HookEvent } from '../../src/model/hooks/hook-settings.js';
import { say } from '../hook-scene.js';
import { openWalk, type WalkScene, type WalkTool } from './walk-scene.js';

/** A hook of the settings, or a callback of the embedder: both get and give the same JSON. */
export type HookKind = 'command' | 'callback';

export interface WantedHook {
  readonly event: HookEvent;
  readonly matcher?: string;
  /** What the hook answers; nothing by default. */
  readonly answer?: unknown;
  /** In place of an answer: a command line, or what a callback does. */
  readonly command?: string;
  readonly ask?: HookCallback['ask'];
  readonly onFailure?: 'continue' | 'block';
  readonly timeoutMs?: number;
}

export interface HookedScene extends AsyncDisposable {
  readonly scene: WalkScene;
  readonly host: Host;
  /** What hooks were sent, in order. */
  readonly seen: () => readonly Seen[];
  /** The events of what hooks were sent. */
  readonly events: () => readonly string[];
  readonly problems: readonly string[];
}

export type Seen = { readonly [field: string]: unknown };

export interface HookedOptions extends HostOptions {
  /** Tools of the server "a"; see walk-server.mjs. */
  readonly offered?: readonly WalkTool[];
  /** Further servers. */
  readonly servers?: Record<string, Record<string, unknown>>;
  /** Told of every run, if given. */
  readonly onRun?: (run: HookRun) => void;
}

/** A host with a server "a" and these hooks, in a folder that is trusted. */
export async function openHooked(
  kind: HookKind,
  wanted: readonly WantedHook[],
  { offered = ['one', 'fail', 'refuse'], servers = {}, onRun, ...options }: HookedOptions = {},
): Promise<HookedScene> {
  const scene = openWalk();
  const log = join(scene.home, 'hooks.jsonl');
  const received: Seen[] = [];
  const problems: string[] = [];
  const hooks: Record<string, object[]> = {};
  const callbacks: HookCallback[] = [];
  for (const { event, matcher, answer = {}, command, ask, onFailure, timeoutMs } of wanted) {
    if (kind === 'command') {
      const line = `cat >> ${log}; ${command ?? say(answer)}`;
      const timeout = timeoutMs === undefined ? undefined : timeoutMs / 1000;
      (hooks[event] ??= []).push({ matcher, hooks: [{ type: 'command', command: line, timeout, onFailure }] });
    } else {
      const label = `callback ${callbacks.length}`;
      callbacks.push({
        event,
        matcher,
        label,
        onFailure,
        timeoutMs,
        ask: async (input, about) => {
          received.push(input as Seen);
          return ask ? ask(input, about) : answer;
        },
      });
    }
  }
  scene.configure({ a: scene.walking(offered), ...servers }, { hooks });
  const { host } = await scene.open({
    watch: false,
    trustFolder: true,
    ...options,
    ...(callbacks.length > 0 && { hookCallbacks: callbacks }),
  });
  host.on('problem', ({ message }) => problems.push(message));
  if (onRun) host.on('hook', onRun);
  await host.settled();
  const seen = (): readonly Seen[] => (kind === 'callback' ? received : linesOf(log));
  return {
    scene,
    host,
    seen,
    events: () => seen().map((one) => String(one['hook_event_name'])),
    problems,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

function linesOf(file: string): readonly Seen[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Seen);
}

export const KINDS: readonly HookKind[] = ['command', 'callback'];

/** An answer in the fields of an event. */
export const own = (event: HookEvent, fields: object): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});
