import { contextCost } from '../../actions/running-server.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { Session } from '../../session/index.js';

/** What tools and servers cost in the conversation; before its first message, in one that began now. */
export function sessionCost({ host, conversation, model }: Session): CostReport {
  const cost = conversation?.cost() ?? contextCost(host, model);
  // The provider may have said the size after the conversation began.
  return model ? { ...cost, contextTokens: model.contextTokens } : cost;
}
