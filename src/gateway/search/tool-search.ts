import type { JsonObject } from '../../base/json.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';
import type { ToolListing } from '../endpoint-address.js';
import type { ListedItem } from '../lists/list-block.js';

export class ToolSearch {
  constructor(_parts: CallParts, _listing: ToolListing) {}
  arrange(items: readonly ListedItem[], _isAlways: (key: string) => boolean): readonly ListedItem[] {
    return items;
  }
  isCall(_request: ClientRequest): boolean {
    return false;
  }
  async call(_request: ClientRequest): Promise<JsonObject> {
    return {};
  }
}
