import { expect, onTestFinished } from 'vitest';
import { loadHostConfig } from '../../../src/config/load.js';
import { Host } from '../../../src/host/host.js';
import { inside as insideOf } from '../../../src/host/inside.js';
import type { HostOptions } from '../../../src/host/host-options.js';
import type { AgentDefinition } from '../../../src/session/agent.js';
import { describeSurroundings } from '../../../src/session/instructions.js';
import type { ModelPort } from '../../../src/session/model-port.js';
import { chooseModel } from '../../../src/session/models/choose-model.js';
import { type Said, Session } from '../../../src/session/session.js';
import type { SessionEvent } from '../../../src/session/session-event.js';
import type { Json, ScriptedApi } from '../../fixtures/scripted-api.js';
import { type Entries, openScene, type Scene } from '../../host/scene.js';
import { checkGolden } from './golden-file.js';
import type { InsideServer } from './inside-server.js';
import { type Api, type Line, openApi } from './script.js';
import { type Happening, Telling } from './telling.js';

export interface StoryOptions {
  /** In-process servers. */
  readonly inside?: Readonly<Record<string, InsideServer>>;
  /** Entries of other servers, made with the scene's help. */
  readonly entries?: (scene: Scene) => Entries;
  readonly settings?: object;
  readonly permissions?: HostOptions['permissions'];
  readonly ports?: HostOptions['ports'];
  readonly agents?: readonly AgentDefinition[];
  /** The size of the model's context. */
  readonly contextTokens?: number;
  /** Tools that the provider runs itself. */
  readonly providerTools?: readonly object[];
  /** The first message is sent before all servers are connected. */
  readonly isEarly?: boolean;
  readonly onEvent?: (event: SessionEvent) => void;
}

/** A session with a scripted model, and its requests. */
export interface Story {
  readonly scene: Scene;
  readonly session: Session;
  readonly api: ScriptedApi;
  /** Sends a message of the user; `lines` are the model's responses. */
  say(text: string, lines: readonly Line[], signal?: AbortSignal): Promise<Said>;
  /** Adds a remark to the golden file. */
  note(text: string): void;
  /** Resolves when the host matches; checked whenever a server or its catalog changes. */
  until(isIt: (host: Host) => boolean): Promise<void>;
  /** Switches to another model, from the next message on. */
  switchTo(api: Api, name: string): Promise<void>;
  /** The whole story as text. */
  tell(name: string): { readonly text: string; readonly faults: readonly string[] };
}

/** Checks that no byte a model has read changed, nothing was refused, no key leaked, and the golden file matches. */
export function checkStory(story: Story, name: string): void {
  const { text, faults } = story.tell(name);
  expect(faults).toEqual([]);
  checkGolden(name, text);
}

export async function openStory(api: Api, options: StoryOptions): Promise<Story> {
  const scene = openScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const { inside = {}, entries, settings, permissions = { mode: 'bypass' }, ports, contextTokens } = options;
  const { providerTools } = options;
  const embedded = new Map(Object.entries(inside));
  const own = Object.fromEntries([...embedded.keys()].map((name) => [name, { type: 'in-process', name }]));
  scene.configure(entries?.(scene) ?? {}, settings);
  scene.env['PLUGBOARD_KEYCHAIN'] = 'off';
  const where = { cwd: scene.project, env: scene.env, managedDirectories: [] };
  const given = { ...where, permissions, embedded, mcpConfig: [JSON.stringify({ mcpServers: own })] };

  const happened: Happening[] = [];
  const apis = new Map<Api, ScriptedApi>();
  let lines: Line[] = [];
  const next = (by: Api, body: Json): Line => {
    const text = JSON.stringify(body);
    const at = lines.findIndex(({ to }) => to === undefined || text.includes(to));
    const [line = { say: '(the script is over)' }] = at === -1 ? [] : lines.splice(at, 1);
    happened.push({ kind: 'request', api: by, number: apis.get(by)!.requests.length, line });
    return line;
  };
  const modelOf = async (by: Api, name: string): Promise<ModelPort> => {
    const opened = apis.get(by) ?? (await openApi(by, (body) => next(by, body)));
    if (!apis.has(by)) onTestFinished(() => opened[Symbol.asyncDispose]());
    apis.set(by, opened);
    const env = { ...ENVIRONMENTS[by](opened.url), PATH: scene.env['PATH'] };
    const chosen = await chooseModel({
      setting: { name, contextTokens, tools: providerTools },
      env,
      cwd: scene.project,
    });
    return chosen.kind === 'model' ? chosen.model : expect.fail(chosen.error.message);
  };

  const model = await modelOf(api, `${api}/first`);
  const loaded = await loadHostConfig(given);
  const session = new Session({
    openHost: (more) =>
      Host[insideOf](loaded, { ...given, ...more, ports: { ...more.ports, ...ports }, watch: false, socket: false }),
    model,
    agents: options.agents ?? [],
    surroundings: describeSurroundings({ cwd: scene.project, platform: 'linux', date: new Date(0) }),
    onEvent: (event) => options.onEvent?.(event),
  });
  onTestFinished(() => session[Symbol.asyncDispose]());
  const { host } = session;
  if (options.isEarly !== true) await host.settled();
  const until = (isIt: (one: Host) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isIt(host)) return;
        for (const listener of listeners) listener[Symbol.dispose]();
        resolve();
      };
      const listeners = [host.on('server', look), host.on('catalog', look)];
      look();
    });

  return {
    scene,
    session,
    api: apis.get(api)!,
    until,
    async say(text, script, signal) {
      happened.push({ kind: 'said', text });
      lines = [...script];
      const said = await session.say(text, signal ? { signal } : {});
      const end = said.kind === 'sent' ? said.end : undefined;
      if (end?.kind !== 'done')
        happened.push({ kind: 'note', text: `It ends: ${end?.kind ?? said.kind}, ${describeEnd(said)}` });
      for (const note of said.notes) happened.push({ kind: 'note', text: `The user is told: ${note}` });
      for (const one of apis.values()) expect(one.refused).toEqual([]);
      expect(lines).toEqual([]);
      return said;
    },
    note: (text) => void happened.push({ kind: 'note', text }),
    async switchTo(by, name) {
      session.useModel(await modelOf(by, `${by}/${name}`));
      happened.push({ kind: 'switch', text: `Another model from here on: ${by}/${name}. It reads everything anew.` });
    },
    tell(name) {
      const received = (by: Api, number: number): string => apis.get(by)!.received[number - 1]!.text;
      const telling = new Telling({ name, home: scene.home, received, isFull: name.endsWith('-turns') });
      for (const one of happened) telling.add(one);
      const sent = [...apis.values()].flatMap((one) => one.received);
      const leaks = sent.filter((one) => one.text.includes(SECRET)).map(() => 'a key was told');
      return { text: telling.text(), faults: [...telling.faults, ...leaks] };
    },
  };
}

const ENVIRONMENTS: Readonly<Record<Api, (url: string) => Record<string, string>>> = {
  anthropic: (url) => ({ ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: url }),
  openai: (url) => ({ OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${url}/v1` }),
};
const SECRET = 'sk-golden-51c0ffee';

function describeEnd(said: Said): string {
  if (said.kind !== 'sent') return said.kind === 'not-sent' ? said.error.message : '';
  const { end } = said;
  return 'isSent' in end ? (end.isSent ? 'what was said stays' : 'as if it had never been said') : '';
}

export function toolNames(host: Host): readonly string[] {
  return host.tools().map(({ name }) => name);
}
