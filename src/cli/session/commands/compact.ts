import { HostError } from '../../../base/errors.js';
import type { Command } from '../command.js';
import { compactedText } from '../display/compact-lines.js';

export const compactCommand: Command = {
  name: 'compact',
  usage: '[WHAT TO KEEP]',
  summary: 'Replace older messages by a summary, so that the model has room again',
  split: (rest) => (rest.trim() === '' ? [] : [rest.trim()]),
  async run({ session, screen, signal }, [instructions = '']) {
    screen.print(screen.style.dim('Summarising the conversation … Esc stops it.'));
    const end = await session.compact({ instructions, signal });
    if (end.kind === 'failed') throw end.error;
    if (end.kind === 'cancelled') throw new HostError('cancelled', 'Stopped; the conversation is as it was');
    screen.print(screen.style.dim(compactedText(end.compacted)));
  },
};
