import type { ChosenModel } from '../../session/index.js';
import type { SessionParts } from './session-parts.js';

/** The model of that name, or the one that flags, settings and variables say. Never rejects: that there is none is a choice, too. */
export async function chooseSessionModel(
  { io, loaded }: Pick<SessionParts, 'io' | 'loaded'>,
  name: string | undefined,
): Promise<ChosenModel> {
  const { chooseModel: choose } = await import('../../session/index.js');
  const { context, settings } = loaded;
  return choose({ name, setting: settings.model, env: io.env, cwd: context.cwd });
}
