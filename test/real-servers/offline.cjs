// Loaded into a server before anything else: it finds nothing but this machine, whatever network there is.
const { Socket } = require('node:net');

const { connect } = Object.getOwnPropertyDescriptors(Socket.prototype);
Socket.prototype.connect = function connectHere(...args) {
  // node hands its own calls over as one list that is already in order.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const host = typeof first === 'object' ? first.host : typeof second === 'string' ? second : undefined;
  const isHere = host === undefined || host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (isHere) return connect.value.apply(this, args);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', hostname: host });
  process.nextTick(() => this.destroy(error));
  return this;
};

// A machine that has better things to do.
const slowMs = Number(process.env.PLUGBOARD_TEST_SLOW_MS ?? 0);
if (slowMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMs);
