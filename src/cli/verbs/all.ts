import type { Verb } from '../verb.js';
import { add } from './add.js';
import { addJson } from './add-json.js';
import { approve } from './approve.js';
import { attack } from './attack.js';
import { call } from './call.js';
import { complete } from './complete.js';
import { completion } from './completion.js';
import { disable, enable } from './toggle.js';
import { doctor } from './doctor.js';
import { get } from './get.js';
import { importServers } from './import.js';
import { reconnect } from './reconnect.js';
import { permissions } from './permissions.js';
import { prompt } from './prompt.js';
import { prompts } from './prompts.js';
import { read } from './read.js';
import { remove } from './remove.js';
import { resources } from './resources.js';
import { search } from './search.js';
import { session } from './session.js';
import { resetProjectChoices } from './reset-project-choices.js';
import { listServers } from './list.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { logs } from './logs.js';
import { replay } from './replay.js';
import { tools } from './tools.js';
import { trust } from './trust.js';

/** In the order in which help shows them. */
export const verbs: readonly Verb[] = [
  session,
  listServers,
  get,
  add,
  addJson,
  importServers,
  remove,
  enable,
  disable,
  reconnect,
  login,
  logout,
  approve,
  trust,
  resetProjectChoices,
  tools,
  call,
  search,
  resources,
  read,
  prompts,
  prompt,
  permissions,
  doctor,
  logs,
  attack,
  replay,
  completion,
  complete,
];
