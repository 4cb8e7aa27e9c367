import type { Verb } from '../verb.js';
import { addVerb } from './configure/add.js';
import { addJsonVerb } from './configure/add-json.js';
import { approveVerb } from './configure/approve.js';
import { attackVerb } from './attack.js';
import { call } from './call.js';
import { completeVerb } from './complete.js';
import { completionVerb } from './completion.js';
import { disableVerb, enableVerb } from './configure/toggle.js';
import { doctor } from './doctor.js';
import { get } from './get.js';
import { importServersVerb } from './configure/import.js';
import { reconnectVerb } from './reconnect.js';
import { permissions } from './configure/permissions.js';
import { prompt } from './prompt.js';
import { prompts } from './prompts.js';
import { read } from './read.js';
import { removeVerb } from './configure/remove.js';
import { resources } from './resources.js';
import { search } from './search.js';
import { sessionVerb } from './session.js';
import { resetProjectChoicesVerb } from './configure/reset-project-choices.js';
import { listServersVerb } from './list.js';
import { loginVerb } from './login.js';
import { logoutVerb } from './logout.js';
import { logsVerb } from './logs.js';
import { replayVerb } from './replay.js';
import { tools } from './tools.js';
import { trustVerb } from './configure/trust.js';

/** In the order in which help shows them. */
export const verbs: readonly Verb[] = [
  sessionVerb,
  listServersVerb,
  get,
  addVerb,
  addJsonVerb,
  importServersVerb,
  removeVerb,
  enableVerb,
  disableVerb,
  reconnectVerb,
  loginVerb,
  logoutVerb,
  approveVerb,
  trustVerb,
  resetProjectChoicesVerb,
  tools,
  call,
  search,
  resources,
  read,
  prompts,
  prompt,
  permissions,
  doctor,
  logsVerb,
  attackVerb,
  replayVerb,
  completionVerb,
  completeVerb,
];
