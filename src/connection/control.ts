import { systemClock } from '../edge/clock.js';
import { ControlChannel, type ControlChannelOptions } from '../transports/in-process/control-channel.js';

export type { ControlChannel, ControlStreams } from '../transports/in-process/control-channel.js';

/** Channel to servers of the embedding process. Reads nothing before the first of them is opened. */
export function openControl(options: Omit<ControlChannelOptions, 'clock'>): ControlChannel {
  return new ControlChannel({ ...options, clock: systemClock });
}
