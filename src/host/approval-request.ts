import { type ApprovalRequest, toApprovalRequest } from '../config/approval/approve.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { sharedSignIn } from './sign-in/shared-sign-in.js';

/** All that a person needs to see of a server before they let it run; undefined where there is nothing to decide. */
export function approvalRequest(
  server: ConfiguredServer,
  { permissions, context }: Pick<HostConfig, 'permissions' | 'context'>,
): ApprovalRequest | undefined {
  return toApprovalRequest(server, permissions, sharedSignIn(server, context));
}
