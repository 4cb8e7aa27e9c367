import type { Command } from '../command.js';
import { agents } from './agents.js';
import { call } from './call.js';
import { clear } from './clear.js';
import { cost } from './cost.js';
import { exit } from './exit.js';
import { help } from './help.js';
import { mcp } from './mcp.js';
import { model } from './model.js';
import { permissions } from './permissions.js';
import { prompts } from './prompts.js';
import { resources } from './resources.js';
import { skills } from './skills.js';
import { tools } from './tools.js';
import { verbose } from './verbose.js';

/** In the order in which help and completion show them. */
export const commands: readonly Command[] = [
  help,
  mcp,
  tools,
  call,
  prompts,
  resources,
  skills,
  model,
  cost,
  permissions,
  agents,
  clear,
  verbose,
  exit,
];
