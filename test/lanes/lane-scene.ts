import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Host } from '../../src/host/host.js';
import type { HostOptions, ToolRequest } from '../../src/host/host-options.js';
import { inside } from '../../src/host/inside.js';
import type { LaneState } from '../../src/lanes/lane.js';
import type { Caller, CallerLog } from '../../src/model/caller.js';
import type { ToolResult } from '../../src/model/tool.js';
import { openScene, type Scene } from '../host/scene.js';

const SERVER = resolve(import.meta.dirname, 'lane-server.mjs');

/** An entry for the server of these tests on stdio. */
export function stdioEntry(...args: readonly string[]): Record<string, unknown> {
  return { command: process.execPath, args: [SERVER, ...args] };
}

/** The server of these tests over HTTP, as a process of its own. */
export async function startHttp(
  ...args: readonly string[]
): Promise<{ readonly entry: Record<string, unknown>; readonly process: ChildProcess } & AsyncDisposable> {
  const child = spawn(process.execPath, [SERVER, '--http', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    entry: { type: 'http', url: line },
    process: child,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface LaneScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly host: Host;
  /** The text of a call's result; throws where the call failed. */
  readonly call: (tool: string, caller: Caller | undefined, more?: Partial<ToolRequest>) => Promise<string>;
  readonly states: () => readonly LaneState[];
}

/** A host that serves others, over one server `s`. */
export async function openLanes(
  entry: Record<string, unknown> | ((home: string) => Record<string, unknown>),
  options: HostOptions = {},
): Promise<LaneScene> {
  const scene = openScene();
  scene.configure({ s: typeof entry === 'function' ? entry(scene.home) : entry });
  const { host } = await scene.open({ serves: true, ...options });
  await host.settled();
  return {
    scene,
    host,
    call: async (tool, caller, more = {}) => {
      const result = await host.call({ name: `mcp__s__${tool}`, input: {}, shape: 'raw', caller, ...more });
      if (result.outcome !== 'ok') throw result.error ?? new Error(textIn(result));
      return textIn(result);
    },
    states: () => host[inside].lanes.states(),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export function textIn({ content: [first] }: Pick<ToolResult, 'content'>): string {
  return String(first?.['text']);
}

export interface TestClient extends Caller {
  readonly asked: string[];
  readonly logs: CallerLog[];
  /** A caller for one call, which answers with its name. */
  readonly one: (name: string, more?: Partial<Caller>) => Caller;
}

/** A client of a gateway: its own caller, and one for each of its calls. */
export function client(lane: string, more: Partial<Caller> = {}): TestClient {
  const asked: string[] = [];
  const logs: CallerLog[] = [];
  const answerAs =
    (name: string): Caller['answer'] =>
    (method, { message }) => {
      asked.push(typeof message === 'string' ? `${name} ${method} ${message}` : `${name} ${method}`);
      return Promise.resolve(method === 'roots/list' ? { roots: [] } : { action: 'accept', content: { by: name } });
    };
  const made: TestClient = {
    principal: 'someone',
    lane,
    client: { name: `client-${lane}`, version: '1' },
    capabilities: { elicitation: { form: {} }, roots: { listChanged: true } },
    roots: [],
    answer: answerAs(lane),
    onLog: (message) => void logs.push(message),
    asked,
    logs,
    one: (name, own = {}) => ({
      principal: made.principal,
      client: made.client,
      capabilities: made.capabilities,
      roots: [],
      lane,
      group: made,
      answer: answerAs(name),
      onLog: (message) => void logs.push(message),
      ...own,
    }),
    ...more,
  };
  return made;
}
