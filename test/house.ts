import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConfigContext, type ConfigOptions, openContext } from '../src/config/context.js';
import { type HostConfig, loadHostConfig } from '../src/config/load.js';
import { expectAgreement } from './schema-agreement.js';

/** Real files for one test, removed when disposed: HOME, a project in a git root, an administrator's folder. */
export interface House extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly managed: string;
  readonly env: Record<string, string | undefined>;
  /** Writes a file and its folders, an object as JSON. Returns the path. */
  write(path: string, content: unknown): string;
  context(options?: ConfigOptions): ConfigContext;
  /** Also checks that the JSON Schemas for editors refuse nothing in these files that the loader takes. */
  load(options?: ConfigOptions): Promise<HostConfig>;
  /** `name scope standing`, strongest first: what most tests compare. */
  view(options?: ConfigOptions): Promise<string[]>;
}

export function openHouse(): House {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-')));
  const home = join(root, 'home');
  const project = join(root, 'work', 'project');
  const managed = join(root, 'managed');
  for (const folder of [home, join(project, '.git'), managed]) mkdirSync(folder, { recursive: true });
  const env: Record<string, string | undefined> = { HOME: home, PATH: '/usr/bin:/bin' };
  const context = (options: ConfigOptions = {}): ConfigContext =>
    openContext({ cwd: project, env, platform: 'linux', managedDirectories: [managed], ...options });
  const written = new Map<string, unknown>();
  const load = async (options?: ConfigOptions): Promise<HostConfig> => {
    const loaded = await loadHostConfig(context(options));
    expectAgreement(written, loaded);
    return loaded;
  };
  return {
    root,
    home,
    project,
    managed,
    env,
    write(path, content) {
      written.set(path, content);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 2),
      );
      return path;
    },
    context,
    load,
    async view(options) {
      const { servers } = await load(options);
      return servers.map(({ name, scope, standing }) => `${name} ${scope} ${standing.kind}`);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
