/** Calls in flight, by id, as every hand-written client keeps them: a Map of promises. */
export function makePending() {
  const calls = new Map();
  let lastId = 0;
  return {
    /** `send` gets the id. */
    ask: (send) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        calls.set(id, { resolve, reject });
        send(id);
      }),
    answer({ id, result, error }) {
      const call = calls.get(id);
      if (call === undefined) return;
      calls.delete(id);
      if (error === undefined) call.resolve(result);
      else call.reject(new Error(error.message));
    },
  };
}
