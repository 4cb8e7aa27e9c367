import type { StatedHints } from '../stated-hints.js';
import type { FlowFinding } from '../flow/flow-finding.js';
import type { ToolHints } from '../tool.js';

/** How much harm a call can do, as far as its server or Plugboard states that. */
export interface CallRisk {
  readonly level: 'low' | 'medium' | 'high';
  /** In words: no face may show the level by a colour alone. */
  readonly text: string;
}

/** `stated`: undefined for a tool that the host brings itself, whose hints are to be trusted. */
export function callRisk({
  hints,
  stated,
  flow,
}: {
  readonly hints: ToolHints;
  readonly stated?: StatedHints | undefined;
  readonly flow?: Pick<FlowFinding, 'kind'> | undefined;
}): CallRisk {
  if (flow) return { level: 'high', text: FLOW_RISKS[flow.kind] };
  const { readOnly, destructive } = stated ?? hints;
  if (destructive === true && readOnly !== true) return { level: 'high', text: 'high: the tool may destroy data' };
  if (readOnly === true) {
    const text = stated ? 'low, if the server is right that the tool only reads' : 'low: the tool only reads';
    return { level: 'low', text };
  }
  if (destructive === false) {
    const text = stated
      ? 'medium: the tool changes data; the server says that it destroys none'
      : 'medium: the tool changes data';
    return { level: 'medium', text };
  }
  return {
    level: 'high',
    text:
      readOnly === false
        ? 'high: the tool changes data, and the server does not say whether it destroys any'
        : 'unknown, so take it as high: the server does not say whether the tool changes or destroys data',
  };
}

const FLOW_RISKS: Readonly<Record<FlowFinding['kind'], string>> = {
  copy: 'high: what was read elsewhere would leave with this call',
  strict: 'high: text from outside may have led to this call, and data may leave with it',
  fault: 'unknown, so take it as high: what was read elsewhere may leave with this call',
};
