import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { unreachable } from '../../src/base/never.js';
import { loadHostConfig } from '../../src/config/load.js';
import type { PermissionAnswer, PermissionQuestion } from '../../src/guard/permission-question.js';
import { Host } from '../../src/host/host.js';
import type { CallResult } from '../../src/host/host-options.js';
import { inside } from '../../src/host/inside.js';
import type { AssistantPart } from '../../src/session/message.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { Session } from '../../src/session/session.js';
import type { FakeServer } from '../../src/testing/fake-server.js';
import type { FlowCall, FlowScenario, FlowServer, FlowStep } from '../../src/testing/flow/flow-scenario.js';
import { flowServer } from '../../src/testing/flow/flow-server.js';
import { bundle } from '../hostile/bundle.js';
import { openScene, type Scene } from '../host/scene.js';
import { answer, call, type Line, say, scriptedModel } from '../session/scripted-model.js';

/** What a session with a scenario has asked and sent. */
export interface Played {
  readonly questions: readonly PermissionQuestion[];
  /** The inputs that the servers received, and the URIs that they were asked for, as JSON. */
  readonly received: readonly string[];
  readonly results: readonly CallResult[];
}

/** Has a session with a scripted model do what a scenario says. Every tool is allowed by a rule. */
export async function playScenario(scenario: FlowScenario, reply: PermissionAnswer): Promise<Played> {
  const opened = await openScenario(scenario);
  const { options, scene } = opened;
  const questions: PermissionQuestion[] = [];
  const results: CallResult[] = [];
  const ask = (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return Promise.resolve(question.flow ? reply : { kind: 'allow', remember: 'once' });
  };
  const onEvent = (event: SessionEvent): void => {
    const own = event.kind === 'agent' ? event.event : event;
    if (own.kind === 'result') results.push(own.result);
  };
  const loaded = await loadHostConfig(options);
  await using session = new Session({
    openHost: ({ ports, ...more }) => Host[inside](loaded, { ...options, ...more, ports: { ...ports, ask } }),
    model: scriptedModel(linesOf(scenario.steps, { scene, results })),
    onEvent,
  });
  await session.host.settled();
  for (const step of scenario.steps) {
    if (step.kind === 'user') await session.say(step.text);
    if (step.kind === 'compact') await session.compact();
    if (step.kind !== 'typed') continue;
    const { server, tool, input } = step.call;
    results.push(await session.host.call({ name: `mcp__${server}__${tool}`, input, isTyped: true }));
  }
  return { questions, received: opened.received(), results };
}

/** The servers and files of a scenario, and options for a host that has them. */
export async function openScenario(scenario: FlowScenario) {
  const scene = openScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  mkdirSync(join(scene.project, '.git'));
  for (const [path, text] of Object.entries(scenario.files ?? {})) write(join(scene.project, path), text);
  const names = Object.keys(scenario.servers);
  const own = names.filter((name) => scenario.servers[name]!.isProject !== true);
  const embedded = new Map<string, FakeServer>(own.map((name) => [name, flowServer(scenario.servers[name]!)]));
  const { allow } = scenario;
  scene.configure({}, allow && { flow: { allow } });
  const entries = Object.fromEntries(own.map((name) => [name, { type: 'in-process', name, alwaysLoad: true }]));
  const journals = await configureProject(scenario, scene);
  const options = {
    cwd: scene.project,
    env: scene.env,
    managedDirectories: [],
    embedded,
    mcpConfig: [JSON.stringify({ mcpServers: entries })],
    approveProject: true,
    permissions: { allow: names.flatMap((name) => rulesOf(name, scenario.servers[name]!)) },
    watch: false,
    socket: false,
  };
  const received = (): string[] => [
    ...[...embedded.values()].flatMap(({ calls, reads }) => [...calls.map(({ input }) => input), ...reads].map(toJson)),
    ...journals.flatMap((file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])),
  ];
  return { scene, options, received };
}

/** Named one by one, tools may run that state that they destroy something. */
function rulesOf(name: string, { tools }: FlowServer): string[] {
  return [...Object.keys(tools), 'resources'].map((tool) => `mcp__${name}__${tool}`);
}

/** Servers of the repository are processes, which write down what they receive. */
async function configureProject({ name, servers }: FlowScenario, { home, project }: Scene): Promise<string[]> {
  const brought = Object.keys(servers).filter((server) => servers[server]!.isProject === true);
  if (brought.length === 0) return [];
  const { script } = await bundle(`
    import { appendFileSync } from 'node:fs';
    import { flowScenarios } from './testing/flow/flow-scenarios.js';
    import { flowServer } from './testing/flow/flow-server.js';
    import { serveFakeServer } from './testing/serve-fake-server.js';
    const [, , scenario, name, file] = process.argv;
    const { tools } = flowScenarios.find((one) => one.name === scenario).servers[name];
    const noted = Object.entries(tools).map(([tool, { run, ...definition }]) => {
      const noting = (input) => (appendFileSync(file, JSON.stringify(input) + '\\n'), run(input));
      return [tool, { ...definition, run: noting }];
    });
    await serveFakeServer(flowServer({ tools: Object.fromEntries(noted) }), process);
  `);
  const journals = brought.map((server) => join(home, `${server}.jsonl`));
  const entries = brought.map((server, index) => [
    server,
    { command: process.execPath, args: [script, name, server, journals[index]], alwaysLoad: true },
  ]);
  write(join(project, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  return journals;
}

interface Saving {
  readonly scene: Scene;
  readonly results: readonly CallResult[];
}

/** What the model says at each request: also that of a sub-agent, and that for a summary. */
function linesOf(steps: readonly FlowStep[], saving: Saving): Line[] {
  let count = 0;
  const lineOf = (step: FlowStep): readonly Line[] => {
    switch (step.kind) {
      case 'user':
      case 'typed':
        return [];
      case 'says':
        return [[say(step.text)]];
      case 'compact':
        return [[say(step.summary)]];
      case 'agent':
        return [[toAgent(step.task, `c${++count}`)], ...step.steps.flatMap(lineOf)];
      case 'calls':
        return [
          // The path of a saved result is known once the result is there.
          () => answer(step.calls.map((one) => toPart(one, `c${++count}`, saving))),
        ];
      default:
        return unreachable(step);
    }
  };
  return steps.flatMap(lineOf);
}

function toAgent(task: string, id: string): AssistantPart {
  return call('Agent', { description: 'a task', prompt: task }, id);
}

function toPart(one: FlowCall, id: string, { scene, results }: Saving): AssistantPart {
  switch (one.kind) {
    case 'tool':
      return call(`mcp__${one.server}__${one.tool}`, one.input, id);
    case 'resource':
      return call('ReadMcpResource', { server: one.server, uri: one.uri }, id);
    case 'file':
      return call('Read', { path: join(scene.project, one.path) }, id);
    case 'saved': {
      const path = results.flatMap(({ saved }) => saved).at(-1)?.path;
      return call('Read', { path, offset: 8_600, limit: 200 }, id);
    }
    default:
      return unreachable(one);
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
