import type { Command } from '../command.js';

export const clearCommand: Command = {
  name: 'clear',
  aliases: ['new'],
  usage: '',
  summary: 'Begin a new conversation; servers stay as they are',
  async run({ session, kept, screen }) {
    const { conversation } = session;
    const back = kept?.current() === undefined ? '' : ' /resume goes back to it.';
    await session.clear();
    screen.print(
      screen.style.dim(
        conversation ? `A new conversation: the model has forgotten the last one.${back}` : 'No conversation yet.',
      ),
    );
  },
};
