import type { Command } from '../command.js';

export const exitCommand: Command = {
  name: 'exit',
  aliases: ['quit'],
  usage: '',
  summary: 'Leave (also: Ctrl-D, or Ctrl-C twice)',
  run: () => Promise.resolve('leave'),
};
