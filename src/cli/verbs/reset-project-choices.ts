import { refuseNames } from '../arguments.js';
import { openRun } from '../load.js';
import { showLine, showText } from '../show.js';
import type { Verb } from '../verb.js';

export const resetProjectChoices: Verb = {
  name: 'reset-project-choices',
  usage: '',
  summary: 'Forget what was approved and rejected here',
  async run(invocation, io) {
    refuseNames(invocation, 'It forgets all of them. To change one: plugboard approve NAME [--reject]');
    const { forgetChoices } = await import('../../config/approvals.js');
    const context = await openRun(invocation, io);
    const { file, servers } = await forgetChoices(context);
    const text =
      servers.length === 0
        ? `No choices were made in ${context.projectRoot}`
        : `Forgot ${servers.length === 1 ? 'the choice' : 'the choices'} about ${showLine(servers.join(', '))} in ${context.projectRoot}\nFile modified: ${file}`;
    return { data: { file, project: context.projectRoot, servers }, text: showText(text) };
  },
};
