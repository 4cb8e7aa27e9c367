import type { Action } from './action.js';
import { callLog } from './calls/call-log.js';
import { call } from './calls/call.js';
import { permissions } from './calls/permissions.js';
import { prompt } from './calls/prompt.js';
import { prompts } from './calls/prompts.js';
import { read } from './calls/read.js';
import { resources } from './calls/resources.js';
import { search } from './calls/search.js';
import { tools } from './calls/tools.js';
import { trace, traceFile } from './calls/trace.js';
import { emitCli } from './emit/emit-cli.js';
import { emitTs } from './emit/emit-ts.js';
import { exportServers } from './files/export.js';
import { report } from './files/report.js';
import { add, addJson } from './servers/add.js';
import { approveDiff } from './servers/approve-diff.js';
import { approveLock } from './servers/approve-lock.js';
import { approveTools } from './servers/approve-tool.js';
import { approve } from './servers/approve.js';
import { doctor } from './servers/doctor.js';
import { get } from './servers/get.js';
import { importServers } from './servers/import.js';
import { listServers } from './servers/list.js';
import { login } from './servers/login.js';
import { logout } from './servers/logout.js';
import { logs } from './servers/logs.js';
import { reconnect } from './servers/reconnect.js';
import { remove } from './servers/remove.js';
import { resetProjectChoices } from './servers/reset-project-choices.js';
import { disable, enable } from './servers/toggle.js';
import { trust } from './servers/trust.js';
import { value } from './value/value.js';

/** The actions on one server, in the order in which faces show them. */
export const serverActions: readonly Action[] = [reconnect, enable, disable, login, logout, approve, logs];

const listed = [
  listServers,
  get,
  tools,
  resources,
  prompts,
  search,
  permissions,
  doctor,
  value,
  callLog,
  trace,
  traceFile,
  report,
];
const calls = [call, read, prompt, emitTs, emitCli];
const edits = [
  add,
  addJson,
  importServers,
  exportServers,
  remove,
  trust,
  resetProjectChoices,
  approveLock,
  approveDiff,
  approveTools,
];

/** Every action. */
export const actions: readonly Action[] = [...listed, ...calls, ...serverActions, ...edits];
