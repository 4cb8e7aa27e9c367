import type { ModelPort } from '../../../session/index.js';
import { HostError } from '../../../base/errors.js';
import { within } from '../../../base/within.js';
import type { Command } from '../command.js';
import { ownRows } from '../display/quoted-rows.js';

export const modelCommand: Command = {
  name: 'model',
  usage: '[NAME]',
  summary: 'Show the model, or switch to another one',
  async run({ session, screen, chooseModel, signal }, [name]) {
    if (name === undefined && session.model) {
      const current = session.model;
      await within(findContext(current), { signal, instead: () => undefined });
      screen.print(ownRows(describe(current), screen.columns).join('\n'));
      return;
    }
    // An endpoint that is asked for its models may never answer.
    const chosen = await within(chooseModel(name), { signal, instead: () => undefined });
    if (!chosen) throw new HostError('cancelled', 'The model is the same as before');
    session.useModel(chosen);
    await within(findContext(chosen), { signal, instead: () => undefined });
    const { conversation } = session;
    const again = conversation ? ' It reads the whole conversation again.' : '';
    screen.print(ownRows(`From now on: ${describe(chosen)}.${again}`, screen.columns).join('\n'));
  },
};

/** So that the user reads the size that the provider says, and not the usual one. */
async function findContext(model: ModelPort): Promise<void> {
  await model.findContextTokens?.();
}

function describe({ name, provider, contextTokens }: ModelPort): string {
  return `${name} of ${provider}, context of ${contextTokens.toLocaleString('en')} tokens`;
}
