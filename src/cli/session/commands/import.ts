import type { Command } from '../command.js';

export const importCommand: Command = {
  name: 'import',
  usage: '',
  summary: "Link or import other hosts' servers",
  run: async (context) => (await import('../../first-run/import-in-session.js')).importInSession(context),
};
