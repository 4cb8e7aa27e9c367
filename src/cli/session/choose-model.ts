import type { ChosenModel } from '../../session/index.js';
import { tuningFlags } from '../input/driver/tuning-flags.js';
import { contextTokensFlag } from '../input/session-flags.js';
import type { SessionParts } from './session-parts.js';

/** Chooses the model of that name, or that of the settings or variables. Never rejects: no model is a result, too. */
export async function chooseSessionModel(
  { io, loaded, staged, invocation }: Pick<SessionParts, 'io' | 'loaded' | 'staged' | 'invocation'>,
  name: string | undefined,
): Promise<ChosenModel> {
  if (staged && (name === undefined || name === staged.model.name)) return { kind: 'model', model: staged.model };
  const { chooseModel: choose } = await import('../../session/index.js');
  const { context, settings } = loaded;
  const contextTokens = contextTokensFlag(invocation);
  const tuning = tuningFlags(invocation);
  return choose({ name, setting: settings.model, contextTokens, tuning, env: io.env, cwd: context.cwd });
}
