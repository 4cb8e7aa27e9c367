import * as actions from '../../actions/servers/logout.js';
import { toVerb } from '../start/action-verb.js';

export const logoutVerb = toVerb(actions.logout, {
  usage: 'NAME[@ACCOUNT] | URL',
  takesServer: 'url',
  prepare: async (run) => ({ run, loaded: await (await import('../start/load.js')).loadRun(run.invocation, run.io) }),
  examples: ['plugboard logout github', 'plugboard logout github@work'],
});
