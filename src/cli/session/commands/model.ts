import { showLine } from '../../show.js';
import type { Command } from '../command.js';

export const model: Command = {
  name: 'model',
  usage: '[NAME]',
  summary: 'Show the model, or go on with another one',
  async run({ session, screen, chooseModel }, [name]) {
    if (name === undefined && session.model) {
      screen.print(describe(session.model));
      return;
    }
    const chosen = await chooseModel(name);
    session.useModel(chosen);
    const { conversation } = session;
    const again = conversation ? ' It reads the whole conversation anew.' : '';
    screen.print(`From now on: ${describe(chosen)}.${again}`);
  },
};

function describe({
  name,
  provider,
  contextTokens,
}: {
  name: string;
  provider: string;
  contextTokens: number;
}): string {
  return showLine(`${name} of ${provider}, which takes ${contextTokens.toLocaleString('en')} tokens`);
}
