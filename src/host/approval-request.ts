import { type ApprovalRequest, toApprovalRequest } from '../config/approval/approve.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { sharedSignIn } from './sign-in/shared-sign-in.js';

/** What a person needs to see of a server before they approve it; undefined where there is nothing to decide. */
export function approvalRequest(
  server: ConfiguredServer,
  { permissions, context }: Pick<HostConfig, 'permissions' | 'context'>,
): ApprovalRequest | undefined {
  return toApprovalRequest(server, permissions, sharedSignIn(server, context));
}
