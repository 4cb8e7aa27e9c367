import type { ChosenModel } from '../../session/index.js';
import type { SessionParts } from './session-parts.js';

/** Chooses the model of that name, or that of the settings or variables. Never rejects: no model is a result, too. */
export async function chooseSessionModel(
  { io, loaded, staged }: Pick<SessionParts, 'io' | 'loaded' | 'staged'>,
  name: string | undefined,
): Promise<ChosenModel> {
  if (staged && (name === undefined || name === staged.model.name)) return { kind: 'model', model: staged.model };
  const { chooseModel: choose } = await import('../../session/index.js');
  const { context, settings } = loaded;
  return choose({ name, setting: settings.model, env: io.env, cwd: context.cwd });
}
