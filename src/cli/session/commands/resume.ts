import type { Command } from '../command.js';

export const resumeCommand: Command = {
  name: 'resume',
  usage: '[ID]',
  summary: 'Go on with an earlier session of this folder',
  run: async (context, words) => (await import('../resume/resume-in-session.js')).resumeInSession(context, words),
};
