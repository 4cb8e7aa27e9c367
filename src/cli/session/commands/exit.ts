import type { Command } from '../command.js';

export const exitCommand: Command = {
  name: 'exit',
  aliases: ['quit'],
  usage: '',
  summary: 'Leave; Ctrl-D and twice Ctrl-C do the same',
  run: () => Promise.resolve('leave'),
};
