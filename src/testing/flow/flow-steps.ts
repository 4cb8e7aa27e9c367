import type { FlowCall, FlowQuestion, FlowStep, FlowToolCall } from './flow-scenario.js';

/** The user writes to the model. */
export function userSays(text: string): FlowStep {
  return { kind: 'user', text };
}

/** The model is done. */
export function modelSays(text: string): FlowStep {
  return { kind: 'says', text };
}

/** The model calls tools, all in one answer. */
export function modelCallsAll(...made: readonly FlowCall[]): FlowStep {
  return { kind: 'calls', calls: made };
}

/** The model calls `server.tool`. */
export function modelCalls(name: string, input: FlowToolCall['input'] = {}, asks?: FlowQuestion): FlowStep {
  return modelCallsAll({ ...toolCall(name, input), ...(asks && { asks }) });
}

/** A call of `server.tool`. */
export function toolCall(name: string, input: FlowToolCall['input'] = {}): FlowToolCall {
  const [server = '', tool = ''] = name.split('.');
  return { kind: 'tool', server, tool, input };
}

/** The model reads a file of the folder with a tool of the host. */
export function modelReads(path: string): FlowStep {
  return modelCallsAll({ kind: 'file', path });
}
