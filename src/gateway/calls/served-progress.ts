import type { ClientRequest } from '../../serving/endpoint.js';
import type { Clean } from '../clean.js';

/** Tells the client how far its call is, without hidden characters; undefined where it does not want to know. */
export function servedProgress(
  { onProgress }: Pick<ClientRequest, 'onProgress'>,
  clean: Clean,
): ClientRequest['onProgress'] {
  return onProgress && ((progress) => onProgress(clean(progress)));
}
