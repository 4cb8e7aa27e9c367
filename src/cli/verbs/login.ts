import * as actions from '../../actions/servers/login.js';
import { toVerb } from '../start/action-verb.js';
import { clientOptions } from '../input/client-flags.js';
import type { Verb } from '../verb.js';

const signIn = toVerb(actions.login, {
  aliases: ['auth'],
  usage: 'NAME[@ACCOUNT] | URL [--no-browser] [--device] [--scope RIGHTS] [--force]',
  takesServer: 'url',
  prepare: async (run, name) => (await import('../sign-in/prepare-login.js')).prepareLogin(run, name),
  examples: [
    'plugboard login github',
    'plugboard login github@work',
    'plugboard login github --scope "repo read:org"',
    'plugboard login github --no-browser',
  ],
});

export const loginVerb: Verb = { ...signIn, options: [...signIn.options!, ...clientOptions] };
