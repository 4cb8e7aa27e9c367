import type { Command } from '../command.js';

export const verboseCommand: Command = {
  name: 'verbose',
  usage: '',
  summary: 'Show what the model thinks and more of what comes back, or no longer',
  run({ settings, screen }) {
    settings.isVerbose = !settings.isVerbose;
    screen.print(
      screen.style.dim(settings.isVerbose ? 'From now on all is shown.' : 'From now on only what matters is shown.'),
    );
    return Promise.resolve();
  },
};
