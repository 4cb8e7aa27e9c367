import type { Verb } from '../verb.js';
import { addVerb } from './configure/add.js';
import { addJsonVerb } from './configure/add-json.js';
import { approveVerb } from './configure/approve.js';
import { attackVerb } from './attack.js';
import { callVerb } from './call.js';
import { completeVerb } from './complete.js';
import { completionVerb } from './completion.js';
import { disableVerb, enableVerb } from './configure/toggle.js';
import { emitCliVerb, emitTsVerb } from './emit.js';
import { demoVerb } from './demo.js';
import { doctorVerb } from './doctor.js';
import { getVerb } from './get.js';
import { importServersVerb } from './configure/import.js';
import { exportServersVerb } from './configure/export.js';
import { reconnectVerb } from './reconnect.js';
import { permissionsVerb } from './configure/permissions.js';
import { promptVerb } from './prompt.js';
import { promptsVerb } from './prompts.js';
import { readVerb } from './read.js';
import { removeVerb } from './configure/remove.js';
import { resourcesVerb } from './resources.js';
import { searchVerb } from './search.js';
import { serveVerb } from './serve.js';
import { sessionVerb } from './session.js';
import { resetProjectChoicesVerb } from './configure/reset-project-choices.js';
import { listServersVerb } from './list.js';
import { loginVerb } from './login.js';
import { logoutVerb } from './logout.js';
import { logsVerb } from './logs.js';
import { reportVerb } from './report.js';
import { replayVerb } from './replay.js';
import { toolsVerb } from './tools.js';
import { valueVerb } from './value.js';
import { trustVerb } from './configure/trust.js';

/** In the order in which help shows them. */
export const verbs: readonly Verb[] = [
  sessionVerb,
  demoVerb,
  listServersVerb,
  getVerb,
  addVerb,
  addJsonVerb,
  importServersVerb,
  exportServersVerb,
  removeVerb,
  enableVerb,
  disableVerb,
  reconnectVerb,
  loginVerb,
  logoutVerb,
  approveVerb,
  trustVerb,
  resetProjectChoicesVerb,
  toolsVerb,
  callVerb,
  searchVerb,
  resourcesVerb,
  readVerb,
  promptsVerb,
  promptVerb,
  emitTsVerb,
  emitCliVerb,
  permissionsVerb,
  doctorVerb,
  serveVerb,
  valueVerb,
  logsVerb,
  reportVerb,
  attackVerb,
  replayVerb,
  completionVerb,
  completeVerb,
];
