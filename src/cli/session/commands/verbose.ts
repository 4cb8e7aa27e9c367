import type { Command } from '../command.js';

export const verboseCommand: Command = {
  name: 'verbose',
  usage: '',
  summary: 'Switch on or off: show what the model thinks, and more of each result',
  run({ settings, screen }) {
    settings.isVerbose = !settings.isVerbose;
    screen.print(
      screen.style.dim(
        settings.isVerbose ? 'Verbose is on: all is shown.' : 'Verbose is off: only what matters is shown.',
      ),
    );
    return Promise.resolve();
  },
};
