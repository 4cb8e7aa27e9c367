import type { SETTINGS_FIELDS } from './settings-fields.js';

/**
 * Settings that a repository has no say in besides those that decide about calls: for each, what it is about. Completes
 * the sentence "a project file cannot decide about ...".
 */
export const USERS_SETTINGS: { readonly [name in UsersSetting]: string } = {
  allowedMcpServers: 'which servers may run',
  deniedMcpServers: 'which servers may run',
  requireSandbox: 'which servers run in a sandbox',
  connectors: 'where your connectors come from',
  xaaIdp: 'who you sign in with',
  pluginDirs: 'where plugins are',
  links: 'which files of other hosts are read',
  model: 'which model is talked to',
  agents: 'which sub-agents there are',
  sessions: 'how long sessions are kept',
  results: 'how long results are kept',
  gateway: 'what clients of this program are served',
};

type UsersSetting = Exclude<
  keyof typeof SETTINGS_FIELDS,
  'permissions' | 'hooks' | 'flow' | 'toolSearch' | 'toolBytes'
>;
