import { HostError } from '../base/errors.js';
import type { ConfigContext, ConfigOptions } from '../config/context.js';
import type { HostConfig } from '../config/load.js';
import { describeProblem } from '../model/text/problem-text.js';

/** The configuration that these options select. Throws when `options.cwd` names a folder that cannot be used. */
export async function openConfiguration(options: ConfigOptions): Promise<ConfigContext> {
  const { openContext } = await import('../config/context.js');
  const context = openContext(options);
  if (options.cwd !== undefined && context.refused) throw context.refused;
  return context;
}

/** Throws when an option is wrong (`bad-argument`): nothing may start from a mistyped option. */
export async function loadConfiguration(config: ConfigContext): Promise<HostConfig> {
  const { loadHostConfig } = await import('../config/load.js');
  const loaded = await loadHostConfig(config);
  const wrong = loaded.problems.find(({ code }) => code === 'bad-argument');
  if (!wrong) return loaded;
  const code = loaded.lock === undefined ? 'config-invalid' : 'enterprise-locked';
  const message = wrong.message.includes(wrong.file) ? wrong.message : describeProblem(wrong);
  throw new HostError(code, message, { hint: wrong.hint });
}
