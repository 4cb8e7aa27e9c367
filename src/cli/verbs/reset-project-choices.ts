import { refuseNames } from '../arguments.js';
import { openRun } from '../load.js';
import { showLine, showText } from '../../model/show.js';
import type { Verb } from '../verb.js';

export const resetProjectChoices: Verb = {
  name: 'reset-project-choices',
  usage: '',
  summary: 'Forget what was approved, rejected and trusted here',
  async run(invocation, io) {
    refuseNames(invocation, 'It forgets all of them. To change one: plugboard approve NAME [--reject]');
    const { forgetChoices } = await import('../../config/approvals.js');
    const context = await openRun(invocation, io);
    const { file, servers } = await forgetChoices(context);
    const { folderToTrust } = await import('../../config/folder-trust.js');
    const { forgetTrust } = await import('../../config/trust-edit.js');
    const folder = folderToTrust(context);
    const trust = await forgetTrust(context, folder);
    const trusted = trust.isForgotten ? `Forgot whether ${folder} is trusted\nFile modified: ${trust.file}` : undefined;
    const choices =
      servers.length === 0
        ? trusted === undefined && `No choices were made in ${context.projectRoot}`
        : `Forgot ${servers.length === 1 ? 'the choice' : 'the choices'} about ${showLine(servers.join(', '))} in ${context.projectRoot}\nFile modified: ${file}`;
    const text = [choices, trusted].filter((line) => typeof line === 'string').join('\n');
    const data = { file, project: context.projectRoot, servers, trust: trust.isForgotten };
    return { data, text: showText(text) };
  },
};
